import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { hex } from '@scure/base'
import { expect, test } from 'vitest'
import { openSealed, sealSecret } from './hpke.ts'

const { target, wallet, privateKey } = vectors.importBundles
const bytes = (text: string) => new TextEncoder().encode(text)

async function open(bundle: string): Promise<Uint8Array> {
  const { encappedPublic, ciphertext, ...rest } = JSON.parse(bundle) as Record<string, string>
  expect(rest).toEqual({})
  const embeddedKey = await embeddedKeyPair(target.privateKey)
  return openSealed({ enc: hex.decode(encappedPublic ?? ''), ciphertext: hex.decode(ciphertext ?? ''), embeddedKey })
}

test('opens the vectors and what it sealed itself', async () => {
  expect(await open(wallet.bundle)).toEqual(bytes(wallet.opensTo))
  expect(hex.encode(await open(privateKey.bundle))).toBe(privateKey.opensTo)
  const point = hex.decode(target.publicKey)
  expect(await open(await sealSecret(bytes(wallet.opensTo), point))).toEqual(bytes(wallet.opensTo))
  const key = hex.decode(privateKey.opensTo)
  expect(hex.encode(await open(await sealSecret(key, point)))).toBe(privateKey.opensTo)
})

test('seals differently each time and overwrites the secret', async () => {
  const secret = bytes('secret')
  const first = await sealSecret(secret, hex.decode(target.publicKey))
  expect(secret).toEqual(new Uint8Array(6))
  expect(await sealSecret(bytes('secret'), hex.decode(target.publicKey))).not.toBe(first)
})

test('refuses a target that is not on the curve', async () => {
  const point = hex.decode(target.publicKey)
  point[64] = (point[64] ?? 0) ^ 1
  const secret = bytes('secret')
  await expect(sealSecret(secret, point)).rejects.toThrow('nothing can be sealed to')
  expect(secret).toEqual(new Uint8Array(6))
})
