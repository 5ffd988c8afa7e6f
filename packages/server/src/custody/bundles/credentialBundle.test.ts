import { importKeys } from '@latchkey/testkit/importKeys'
import { expect, test } from 'vitest'
import { credentialBundle } from './credentialBundle.ts'
import { hpkeSeal } from './hpke.ts'

const target =
  '04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f'
const ephemeralPrivate = '029f8cd9ee5e447b765df96511fe2bb0dbb189a6c1a31789bf921eb5a49a4a4c'
const plaintext = 'bfbf70cece7549f77912156242629b6d95f713ac610bebecaeff764b346939ad'
const enc =
  '04f5a978025303a3aeae3982656955928f7a9d2192a9d6b0e002fc6f86faab67d8bc0fb4fc5dfe9809e136598f45caf009165f5569c075eb8ad6ac3c9d62f08584'
const ciphertext = '7b662cd169b875e42029d40ecf60748f04969626253dbc86a7437bd2a508589089687f46701aa54170ac291976734f69'
const bundle =
  'w2VrTcUBibkmb6c5vH7tCF13GJVnqqs7cbsdBtLmXDbFf4QpS4n7NPPPZxmffByZY8YE39TPVk7HHedui5n23WyrUyhQExjCcFj8MjimEAJ12BdLLdT'

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

test('seals the published vector', async () => {
  const ephemeralKeys = await importKeys(ephemeralPrivate)
  const sealed = await hpkeSeal({ recipientPublicKey: fromHex(target), plaintext: fromHex(plaintext), ephemeralKeys })
  expect(Buffer.from(sealed.enc).toString('hex')).toBe(enc)
  expect(Buffer.from(sealed.ciphertext).toString('hex')).toBe(ciphertext)
  expect(
    await credentialBundle({ targetPublicKey: fromHex(target), privateKey: fromHex(plaintext), ephemeralKeys }),
  ).toBe(bundle)
})
