import { expect, test } from 'vitest'
import { fingerprint } from './envelope.ts'

test('default: fingerprint', () => {
  const body = new TextEncoder().encode('{"organizationId":"11111111-2222-4333-8444-555555555555"}')
  expect(fingerprint(body)).toBe('sha256:d8562a14990a53d39704ac725f2b8832d0309b005a629ff02f843b42b846b3ea')
})
