import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { importKeys } from '@latchkey/testkit/importKeys'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { exportBundle, importBundle } from './signedBundles.ts'

const signingKey = '3f6e7c0593ccee73933233d9942386873f047a1f4c8c77298640efaf958ad7ad'
const signer =
  '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585'
const targetPrivateKey = '8cac1118d0b3a59148d717560063dc65ebd3a6a4b7cee38e646d90d9871f9703'
const ephemeralPrivateKey = 'f9448d615d17b24bebfbea28e994285ebc3a227d37e3c7a5ae805ccd18224be0'
const organizationId = '11111111-2222-4333-8444-555555555555'
const account = {
  userId: '66666666-7777-4888-9999-aaaaaaaaaaaa',
  email: 'ann@example.com',
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
}
const accountJson = JSON.stringify(account).slice(1)
const mnemonic = 'test test test test test test test test test test test junk'
const dataJson =
  '{"encappedPublic":"042e84b3ef96f2174f0e8032b560f00bc2e9b356dae8fc5efe8b25d8241fde57ee001401d577f4a8e2392f5be01582004b1a4ffb3c00cb4f5ac8e1b34d4bfd33db","ciphertext":"789c8335bee4b6b70bd3e4913df0f29c219e2bbfc79bb7710770292115d588226c891bac0b98caa1c5a7e3fbb3c1d45b68abb65919ce5711b269e5bfc43c1a065f6a73b618c4b8596bfaeb","organizationId":"11111111-2222-4333-8444-555555555555"}'
/** The official code signed this bundle with the same key. ECDSA signatures may differ, but the signed data may not. */
const recorded =
  '{"version":"v1.0.0","data":"7b22656e6361707065645075626c6963223a2230343265383462336566393666323137346630653830333262353630663030626332653962333536646165386663356566653862323564383234316664653537656530303134303164353737663461386532333932663562653031353832303034623161346666623363303063623466356163386531623334643462666433336462222c2263697068657274657874223a22373839633833333562656534623662373062643365343931336466306632396332313965326262666337396262373731303737303239323131356435383832323663383931626163306239386361613163356137653366626233633164343562363861626236353931396365353731316232363965356266633433633161303635663661373362363138633462383539366266616562222c226f7267616e697a6174696f6e4964223a2231313131313131312d323232322d343333332d383434342d353535353535353535353535227d","dataSignature":"304402203d788d7a4dc0bd43dbd03200fe99187c30a64a202d89edff250e756646edad46022022b9b1bb4d6440aba8144bb9597da985e55af034b02083282f243fa58208aa82","enclaveQuorumPublic":"041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585"}'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const fromText = (hex = '') => Buffer.from(hex, 'hex').toString()

test('matches the official export bundle', async () => {
  const frame = createTestExportFrame(fromHex(targetPrivateKey))
  const text = await exportBundle({
    organizationId,
    account,
    targetPublicKey: fromHex(frame.targetPublicKey),
    plaintext: new TextEncoder().encode(mnemonic),
    signingKey: fromHex(signingKey),
    ephemeralKeys: await importKeys(ephemeralPrivateKey),
  })
  const bundle = JSON.parse(text) as Record<string, string>
  expect(fromText(bundle.data)).toBe(dataJson.replace(/}$/, `,${accountJson}`))
  const { data, dataSignature, ...rest } = JSON.parse(recorded) as Record<string, string>
  expect(fromText(data)).toBe(dataJson)
  expect(bundle).toMatchObject({ ...rest, dataSignature: expect.stringMatching(/^30(44|45)0220|^30(45|46)0221/) })
  expect(Object.keys(bundle)).toEqual(Object.keys(JSON.parse(recorded)))
  for (const each of [text, recorded])
    expect(Buffer.from(await frame.open(each, { signer, organizationId })).toString()).toBe(mnemonic)
  expect(dataSignature).toMatch(/^3044/)
})

test('uses a new encapsulated key for each export bundle', async () => {
  const frame = createTestExportFrame()
  const plaintext = p256.utils.randomSecretKey()
  const make = () =>
    exportBundle({
      organizationId,
      account,
      targetPublicKey: fromHex(frame.targetPublicKey),
      plaintext,
      signingKey: fromHex(signingKey),
    })
  const [first, second] = [await make(), await make()]
  expect(first).not.toBe(second)
  for (const text of [first, second]) expect(await frame.open(text, { signer, organizationId })).toEqual(plaintext)
})

const recordedImport =
  '{"version":"v1.0.0","data":"7b227461726765745075626c6963223a2230343337633635303163633437646135663232666532373738643463656564353732666265623364336535303630303536353734323531623561306130313231666165336465653964663461626631303332373230383137363039323866356630316333653866666266383938663137366233303061363337396133666433376666222c226f7267616e697a6174696f6e4964223a2231313131313131312d323232322d343333332d383434342d353535353535353535353535222c22757365724964223a2236363636363636362d373737372d343838382d393939392d616161616161616161616161227d","dataSignature":"3045022039fcbc6453fb09998eeeb50a8126787b8dbebf4ef14ea47a868cd6c4fe6700d3022100955a894ad295f6d5d3a3f5778a531341eaeb2fd7bbc86bf8d6585fbb196f0205","enclaveQuorumPublic":"041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585"}'
const importPrivateKey = '150e3f7c60c944f54fc15419fdd1e28eeb5dda770d366a730ae517e5c30f7004'

test('matches the official import bundle', () => {
  const text = importBundle({
    targetPublicKey: p256.getPublicKey(fromHex(importPrivateKey), false),
    organizationId,
    account,
    signingKey: fromHex(signingKey),
  })
  const [bundle, expected] = [JSON.parse(text), JSON.parse(recordedImport)]
  const { userId: _documented, ...added } = account
  expect(fromText(bundle.data)).toBe(fromText(expected.data).replace(/}$/, `,${JSON.stringify(added).slice(1)}`))
  // Signatures differ because each one uses a new nonce.
  expect({ ...bundle, data: '', dataSignature: '' }).toEqual({ ...expected, data: '', dataSignature: '' })
  expect(Object.keys(bundle)).toEqual(Object.keys(expected))
  for (const { data, dataSignature, enclaveQuorumPublic } of [bundle, expected])
    expect(
      p256.verify(fromHex(dataSignature), fromHex(data), fromHex(enclaveQuorumPublic), { format: 'der', lowS: false }),
    ).toBe(true)
})
