import { expect, test } from 'vitest'
import { verifyApiKeyStamp } from '../../custody/stamps/verifyApiKeyStamp.ts'
import { createStamp } from './createStamp.ts'

test('makes a stamp that custody accepts', () => {
  const key = {
    publicKey: '02fe206c1f884781d6870849133eabc5650042caed26755674898c7d599dd127f9',
    privateKey: '0d208bce351c0be80a33dc25e1602e95d64a89f636b8a93b5b8cc62f0812ad69',
  }
  const body = '{"organizationId":"11111111-2222-4333-8444-555555555555"}'
  const stamps = [createStamp(body, key), createStamp(body, key)]
  for (const { stampHeaderName, stampHeaderValue } of stamps) {
    expect(stampHeaderName).toBe('X-Stamp')
    expect(verifyApiKeyStamp(stampHeaderValue, Buffer.from(body)).publicKey).toBe(key.publicKey)
    const members = JSON.parse(Buffer.from(stampHeaderValue, 'base64url').toString()) as object
    expect(Object.keys(members)).toEqual(['publicKey', 'scheme', 'signature'])
  }
  // Custody accepts a stamp without a timestamp only for five minutes from its first use, so the next stamp must
  // differ.
  expect(stamps[0]).not.toEqual(stamps[1])
})
