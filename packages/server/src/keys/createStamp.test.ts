import { expect, test } from 'vitest'
import { createApiKeyPair } from './createApiKeyPair.ts'
import { createStamp } from './createStamp.ts'

test('default', () => {
  const key = {
    publicKey: '02fe206c1f884781d6870849133eabc5650042caed26755674898c7d599dd127f9',
    privateKey: '0d208bce351c0be80a33dc25e1602e95d64a89f636b8a93b5b8cc62f0812ad69',
  }
  expect(createStamp('{"organizationId":"11111111-2222-4333-8444-555555555555"}', key)).toEqual({
    stampHeaderName: 'X-Stamp',
    stampHeaderValue:
      'eyJwdWJsaWNLZXkiOiIwMmZlMjA2YzFmODg0NzgxZDY4NzA4NDkxMzNlYWJjNTY1MDA0MmNhZWQyNjc1NTY3NDg5OGM3ZDU5OWRkMTI3ZjkiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9QMjU2Iiwic2lnbmF0dXJlIjoiMzA0NTAyMjEwMGYzZWRkMjQwMjBiZmU2MDBkN2FmYzMyM2E4NGRhYTM4NzNkODZlMTdjYzI4NzE2YmU5MjFkY2E4ZGIwYjA5YTcwMjIwNmE4NjFlOTM5NjI0ZGU2MjEzMGJkMjU0NDE5NTg3YTI2NzZlMzNkYmVlNDllOGJjNWVkYWU4NTVkNjFlNTBjMSJ9',
  })
})

test('behavior: a fresh key pair has the forms the wire asks for', () => {
  const key = createApiKeyPair()
  expect(key.publicKey).toMatch(/^0[23][0-9a-f]{64}$/)
  expect(key.privateKey).toMatch(/^[0-9a-f]{64}$/)
  expect(createApiKeyPair().privateKey).not.toBe(key.privateKey)
})
