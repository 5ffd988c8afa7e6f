import { expect, test } from 'vitest'
import { privateKeyText, seedPhraseText } from './secretText.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const phrase = 'test test test test test test test test test test test junk'

test('default', () => {
  expect(seedPhraseText(bytes(phrase))).toBe(phrase)
  expect(privateKeyText(new Uint8Array(32).fill(0xab), undefined)).toBe(`0x${'ab'.repeat(32)}`)
  expect(privateKeyText(new Uint8Array(32).fill(0xab), 'HEXADECIMAL')).toBe(`0x${'ab'.repeat(32)}`)
})

test('behavior: a passphrase after the seed phrase is not shown', () => {
  expect(seedPhraseText(bytes(`${phrase}\nsecret passphrase`))).toBe(phrase)
})

test.each(['', 'one two', `${phrase}  junk`, '\n', 'x'.repeat(32)])('error: %j is no seed phrase', (text) => {
  expect(() => seedPhraseText(bytes(text))).toThrow('holds no seed phrase')
})

test('error: bytes that are no text', () => {
  expect(() => seedPhraseText(new Uint8Array(32).fill(0xff))).toThrow('holds no seed phrase')
})

test('error: a key of another length or format', () => {
  expect(() => privateKeyText(new Uint8Array(31), undefined)).toThrow('holds no private key')
  expect(() => privateKeyText(new Uint8Array(32), 'SOLANA')).toThrow('unsupported key format')
})
