import { expect, test } from 'vitest'
import { bundleSigningPublicKey } from './bundleSigningPublicKey.ts'

const privateKey = '3f6e7c0593ccee73933233d9942386873f047a1f4c8c77298640efaf958ad7ad'

test('derives the public key', () => {
  const publicKey =
    '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585'
  expect(bundleSigningPublicKey(privateKey)).toBe(publicKey)
  expect(bundleSigningPublicKey(`0x${privateKey.toUpperCase()}`)).toBe(publicKey)
})

test('refuses invalid private keys', () => {
  for (const key of ['', privateKey.slice(2), '00'.repeat(32), 'ff'.repeat(32)])
    expect(() => bundleSigningPublicKey(key), key).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('bundleSigningKey must be') }),
    )
})
