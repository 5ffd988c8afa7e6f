import { expect, test } from 'vitest'
import { redactUrl } from './redactUrl.ts'

test.each([
  ['https://u:p@eth.test:8443/v2/my-key/more?token=1#part', 'https://eth.test:8443/v2/***/more'],
  ['http://localhost:4101/signer/v1/lookup', 'http://localhost:4101/signer/v1/lookup'],
  ['/relative?key=1', '/relative'],
  ['', ''],
  ['https://no place/v2/my-key/more', 'https://no place/v2/***/more'],
])('removes user, query, fragment and key from "%s"', (url, redacted) => {
  expect(redactUrl(url)).toBe(redacted)
})
