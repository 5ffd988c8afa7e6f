import { expect, test } from 'vitest'
import { redactUrl } from './redactUrl.ts'

test('removes user, query, fragment and key', () => {
  expect(redactUrl('https://u:p@eth.test:8443/v2/my-key/more?token=1#part')).toBe('https://eth.test:8443/v2/***/more')
})

test('keeps other paths', () => {
  expect(redactUrl('http://localhost:4101/signer/v1/lookup')).toBe('http://localhost:4101/signer/v1/lookup')
})

test('cuts text that is not a URL before the first character that may start a secret', () => {
  expect(redactUrl('/relative?key=1')).toBe('/relative')
  expect(redactUrl('')).toBe('')
  expect(redactUrl('https://no place/v2/my-key/more')).toBe('https://no place/v2/***/more')
})
