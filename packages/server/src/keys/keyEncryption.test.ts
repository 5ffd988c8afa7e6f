import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { chainKeyEncryption, type KeyEncryption, localKeyEncryption } from './keyEncryption.ts'

const key = randomBytes(32).toString('hex')
const dek = randomBytes(32)
const aad = new TextEncoder().encode('a')

test('wraps and unwraps a key', async () => {
  const wrapped = await localKeyEncryption({ key }).wrap(dek, aad)
  const again = localKeyEncryption({ key: `0x${key.toUpperCase()}` })
  expect(Buffer.from(await again.unwrap(wrapped, aad))).toEqual(dek)
})

test('refuses another key or context', async () => {
  const wrapped = await localKeyEncryption({ key }).wrap(dek, aad)
  const other = localKeyEncryption({ key: randomBytes(32).toString('hex') })
  await expect(other.unwrap(wrapped, aad)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await expect(localKeyEncryption({ key }).unwrap(wrapped, new Uint8Array())).rejects.toThrow('cannot be opened')
})

test('refuses a malformed key without showing it', () => {
  for (const bad of ['', 'ab', `${key}00`, key.replace(/^./, 'g')])
    expect(() => localKeyEncryption({ key: bad })).toThrow(
      expect.objectContaining({ message: 'The key-encryption key must be 32 bytes as 64 hex digits.' }),
    )
})

test('wraps by the first key of a chain and opens keys of its predecessors', async () => {
  const [old, next, foreign] = [1, 2, 3].map(() => localKeyEncryption({ key: randomBytes(32).toString('hex') })) as [
    KeyEncryption,
    KeyEncryption,
    KeyEncryption,
  ]
  const chain = chainKeyEncryption(next, [old])
  const [byOld, byChain] = [await old.wrap(dek, aad), await chain.wrap(dek, aad)]
  expect(await chain.unwrap(byOld, aad)).toEqual(dek)
  expect(await next.unwrap(byChain, aad)).toEqual(dek)
  expect([await chain.isCurrent(byOld), await chain.isCurrent(byChain)]).toEqual([false, true])
  expect([chain.owns(byOld), chain.owns(await foreign.wrap(dek, aad))]).toEqual([true, false])
  await expect(chain.unwrap(await foreign.wrap(dek, aad), aad)).rejects.toThrow('another key-encryption key')
})
