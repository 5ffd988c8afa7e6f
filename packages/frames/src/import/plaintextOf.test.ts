import { expect, test } from 'vitest'
import { plaintextOf } from './plaintextOf.ts'
import { readSecret } from './readSecret.ts'

const phrase = 'test test test test test test test test test test test junk'
const key = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const given = (text: string, passphrase = '') => ({ typed: readSecret(text), passphrase })

test('default', () => {
  expect(new TextDecoder().decode(plaintextOf(given(phrase.toUpperCase()), 'phrase', undefined))).toBe(phrase)
  for (const format of [undefined, 'HEXADECIMAL']) {
    expect(Buffer.from(plaintextOf(given(`0x${key}`), 'key', format)).toString('hex')).toBe(key)
  }
})

test('behavior: a passphrase goes after the phrase, as it was typed', () => {
  const text = new TextDecoder().decode(plaintextOf(given(phrase, ' Zoë '), 'phrase', undefined))
  expect(text).toBe(`${phrase}\n--PASS--\n Zoë `)
})

test.each([
  ['nothing', '', 'phrase', 'Nothing was typed'],
  ['half a phrase', 'test test', 'phrase', '2 words'],
  ['a wrong phrase', phrase.replace('junk', 'test'), 'phrase', 'do not belong together'],
  ['a key for a phrase', key, 'phrase', 'This is a private key; the app asks for a seed phrase'],
  ['a phrase for a key', phrase, 'key', 'This is a seed phrase; the app asks for a private key'],
] as const)('error: %s', (_what, text, wanted, message) => {
  expect(() => plaintextOf(given(text), wanted, undefined)).toThrow(message)
})

test('error: a key format of another chain', () => {
  expect(() => plaintextOf(given(key), 'key', 'SOLANA')).toThrow('unsupported key format')
})
