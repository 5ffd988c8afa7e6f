import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { localKeyEncryption } from '../../keys/keyEncryption.ts'
import { openEntropy, sealEntropy } from './walletEntropy.ts'

const keyEncryption = localKeyEncryption({ key: randomBytes(32).toString('hex') })
const identity = { orgId: 'org', walletId: 'wallet', version: 1 }
const entropy = randomBytes(16)

test('default', async () => {
  const sealed = await sealEntropy(keyEncryption, identity, entropy)
  expect(Buffer.from(await openEntropy(keyEncryption, identity, sealed))).toEqual(entropy)
  expect(Buffer.from(sealed.sealedEntropy).includes(entropy)).toBe(false)
})

test('behavior: two seals of the same entropy share nothing', async () => {
  const [first, second] = [
    await sealEntropy(keyEncryption, identity, entropy),
    await sealEntropy(keyEncryption, identity, entropy),
  ]
  expect(Buffer.from(first.sealedEntropy)).not.toEqual(Buffer.from(second.sealedEntropy))
  expect(Buffer.from(first.wrappedKey)).not.toEqual(Buffer.from(second.wrappedKey))
})

test('error: moved to another organization, wallet or version', async () => {
  const sealed = await sealEntropy(keyEncryption, identity, entropy)
  for (const other of [{ orgId: 'other' }, { walletId: 'other' }, { version: 2 }])
    await expect(openEntropy(keyEncryption, { ...identity, ...other }, sealed)).rejects.toThrow('cannot be opened')
})

test('error: sealed parts of two wallets mixed', async () => {
  const one = await sealEntropy(keyEncryption, identity, entropy)
  const two = await sealEntropy(keyEncryption, identity, entropy)
  const mixed = { sealedEntropy: one.sealedEntropy, wrappedKey: two.wrappedKey }
  await expect(openEntropy(keyEncryption, identity, mixed)).rejects.toThrow('cannot be opened')
})

test('error: another key-encryption key', async () => {
  const sealed = await sealEntropy(keyEncryption, identity, entropy)
  const other = localKeyEncryption({ key: randomBytes(32).toString('hex') })
  await expect(openEntropy(other, identity, sealed)).rejects.toThrow('wrapped by another key-encryption key')
})
