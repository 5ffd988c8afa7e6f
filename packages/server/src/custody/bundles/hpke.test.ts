import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { hpkeOpen, hpkeSeal } from './hpke.ts'

const signingKey = '3f6e7c0593ccee73933233d9942386873f047a1f4c8c77298640efaf958ad7ad'
const targetPrivateKey = '150e3f7c60c944f54fc15419fdd1e28eeb5dda770d366a730ae517e5c30f7004'
const sealedWallet =
  '{"encappedPublic":"043708a976315232e9387bb07d2767785023dd48b30b04120c9890be1cdeed7d32c9817753660d9b31436839009fffc3952c11e3ac4ee8f786e83e48b5165ce830","ciphertext":"6db3aab7dec699564d593959ef6092a373e01afe22e1e1b538aa59415344f62148f35fdb147c600643ca5e86c774ef1832f27b878476b2d1ef0a636b3bbf04355be027f925af87a92886a4"}'
const sealedKey =
  '{"encappedPublic":"0480ec8db6ea24228fb2de906f4460559cec2b06c22452682faca428a3480ba73737f7af03ffd9de72b99b9337b735f389cb29774957ffeebe7e9b8f6715de0f3d","ciphertext":"1201425f6c5128e053077ae98714fd1bd522f67bf784a4472293eb152652ab112e417f7dcc134876a89abccea5de6285"}'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const open = async (text: string, privateKey = targetPrivateKey) => {
  const { encappedPublic, ciphertext } = JSON.parse(text) as Record<string, string>
  return hpkeOpen({
    enc: fromHex(encappedPublic ?? ''),
    ciphertext: fromHex(ciphertext ?? ''),
    privateKey: fromHex(privateKey),
  })
}

test('opens bundles that published clients sealed', async () => {
  expect(Buffer.from((await open(sealedWallet)) ?? []).toString()).toBe(
    'test test test test test test test test test test test junk',
  )
  expect(Buffer.from((await open(sealedKey)) ?? []).toString('hex')).toBe(
    'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  )
})

test('opens its own bundles, including an empty one', async () => {
  const privateKey = p256.utils.randomSecretKey()
  const recipientPublicKey = p256.getPublicKey(privateKey, false)
  for (const plaintext of [new Uint8Array(), fromHex('0001ff')])
    expect(await hpkeOpen({ ...(await hpkeSeal({ recipientPublicKey, plaintext })), privateKey })).toEqual(plaintext)
})

test('refuses another key and any changed byte', async () => {
  expect(await open(sealedKey, signingKey)).toBeUndefined()
  const { encappedPublic, ciphertext } = JSON.parse(sealedKey) as Record<string, string>
  const [enc, box, privateKey] = [fromHex(encappedPublic ?? ''), fromHex(ciphertext ?? ''), fromHex(targetPrivateKey)]
  for (let at = 0; at < box.length; at++) {
    const changed = Uint8Array.from(box)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(await hpkeOpen({ enc, ciphertext: changed, privateKey }), String(at)).toBeUndefined()
  }
  for (const wrong of [enc.subarray(1), enc.map((byte, at) => (at === 40 ? byte ^ 1 : byte)), new Uint8Array(65)])
    expect(await hpkeOpen({ enc: wrong, ciphertext: box, privateKey })).toBeUndefined()
  expect(await hpkeOpen({ enc, ciphertext: box.subarray(0, 15), privateKey })).toBeUndefined()
})
