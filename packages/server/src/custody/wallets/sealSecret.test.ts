import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { localKeyEncryption } from '../../keys/keyEncryption.ts'
import { type SecretIdentity, sealSecret, withSecret } from './sealSecret.ts'

const keyEncryption = localKeyEncryption({ key: randomBytes(32).toString('hex') })
const identity: SecretIdentity = { table: 'wallets', orgId: 'org', id: 'wallet', version: 1 }
const entropy = randomBytes(16)
const copy = (secret: Uint8Array) => Buffer.from(secret)

test('opens a sealed secret', async () => {
  const sealed = await sealSecret(keyEncryption, identity, entropy)
  expect(await withSecret(keyEncryption, identity, sealed, copy)).toEqual(entropy)
  expect(Buffer.from(sealed.sealed).includes(entropy)).toBe(false)
})

test('shares nothing between two seals of one secret', async () => {
  const [first, second] = [
    await sealSecret(keyEncryption, identity, entropy),
    await sealSecret(keyEncryption, identity, entropy),
  ]
  expect(Buffer.from(first.sealed)).not.toEqual(Buffer.from(second.sealed))
  expect(Buffer.from(first.wrappedKey)).not.toEqual(Buffer.from(second.wrappedKey))
})

test('wipes the secret after use, even after an error', async () => {
  const sealed = await sealSecret(keyEncryption, identity, entropy)
  let seen = new Uint8Array()
  const use = (secret: Uint8Array) => {
    seen = secret as Uint8Array<ArrayBuffer>
    expect(copy(seen)).toEqual(entropy)
  }
  await withSecret(keyEncryption, identity, sealed, use)
  expect(copy(seen)).toEqual(Buffer.alloc(16))
  const failing = withSecret(keyEncryption, identity, sealed, (secret) => {
    use(secret)
    throw new TypeError('used wrongly')
  })
  await expect(failing).rejects.toThrow('used wrongly')
  expect(copy(seen)).toEqual(Buffer.alloc(16))
})

test('refuses a secret moved to another table, organization, row or version', async () => {
  const sealed = await sealSecret(keyEncryption, identity, entropy)
  const others = [{ table: 'private_keys' as const }, { orgId: 'other' }, { id: 'other' }, { version: 2 }]
  for (const other of others)
    await expect(withSecret(keyEncryption, { ...identity, ...other }, sealed, copy)).rejects.toThrow('cannot be opened')
})

test('refuses mixed parts of two secrets', async () => {
  const one = await sealSecret(keyEncryption, identity, entropy)
  const two = await sealSecret(keyEncryption, identity, entropy)
  const mixed = { sealed: one.sealed, wrappedKey: two.wrappedKey }
  await expect(withSecret(keyEncryption, identity, mixed, copy)).rejects.toThrow('cannot be opened')
})

test('refuses another key-encryption key', async () => {
  const sealed = await sealSecret(keyEncryption, identity, entropy)
  const other = localKeyEncryption({ key: randomBytes(32).toString('hex') })
  await expect(withSecret(other, identity, sealed, copy)).rejects.toThrow('wrapped by another key-encryption key')
})
