import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { localKeyEncryption } from './keyEncryption.ts'

const key = randomBytes(32).toString('hex')
const dek = randomBytes(32)
const aad = new TextEncoder().encode('a')

test('default', async () => {
  const wrapped = await localKeyEncryption({ key }).wrap(dek, aad)
  const again = localKeyEncryption({ key: `0x${key.toUpperCase()}` })
  expect(Buffer.from(await again.unwrap(wrapped, aad))).toEqual(dek)
})

test('error: another key or another place', async () => {
  const wrapped = await localKeyEncryption({ key }).wrap(dek, aad)
  const other = localKeyEncryption({ key: randomBytes(32).toString('hex') })
  await expect(other.unwrap(wrapped, aad)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await expect(localKeyEncryption({ key }).unwrap(wrapped, new Uint8Array())).rejects.toThrow('cannot be opened')
})

test('error: a key that is none is not shown', () => {
  for (const bad of ['', 'ab', `${key}00`, key.replace(/^./, 'g')])
    expect(() => localKeyEncryption({ key: bad })).toThrow(
      expect.objectContaining({ message: 'The key-encryption key must be 32 bytes as 64 hex digits.' }),
    )
})
