import { hex } from '@scure/base'
import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMnemonic, readSecret, suggestWords, toPlaintext } from './secretInput.ts'

const phrase = 'test test test test test test test test test test test junk'
const key = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

describe('readSecret', () => {
  test('reads seed phrases of each length and private keys', () => {
    expect(readSecret(phrase)).toEqual({ kind: 'phrase', phrase })
    for (const strength of [128, 160, 192, 224, 256]) {
      const made = generateMnemonic(wordlist, strength)
      expect(readSecret(made), made).toEqual({ kind: 'phrase', phrase: made })
    }
    const halves = `${key.slice(0, 32)}\n\u200b${key.slice(32)}`
    for (const text of [key, `0x${key}`, `0X${key.toUpperCase()}`, ` ${halves} `, `\ufeff0x${halves}`]) {
      expect(readSecret(text)).toEqual({ kind: 'key', key: hex.decode(key) })
    }
  })

  test('reads a phrase in any copied form', () => {
    const words = phrase.split(' ')
    for (const text of [
      `\n ${phrase.toUpperCase()} \t`,
      words.join('\n'),
      words.join(', '),
      words.map((word, index) => `${index + 1}. ${word}`).join('\n'),
      words.map((word, index) => `${index + 1})${word}`).join(' '),
      words.join('\u3000'),
      words.join('\u200b'),
      phrase.replace('junk', 'ju\u00adnk'),
      `\ufeff${words.join(' \u200e')}\u2060`,
      `${words.join('\u00a0\r\n')}\0`,
    ]) {
      expect(readSecret(text), text).toEqual({ kind: 'phrase', phrase })
    }
  })

  test.each([
    ['', 'nothing'],
    [' \n', 'nothing'],
    ['t', 'unfinished'],
    ['1.', 'unfinished'],
    [', ;', 'unfinished'],
    ['test te', 'unfinished'],
    ['test', 'unfinished'],
    ['fa', 'unfinished'],
    [phrase.replace(' junk', ''), 'unfinished'],
    [`${phrase} test`, 'unfinished'],
    ['0x', 'unfinished'],
    ['0x12', 'unfinished'],
    [key.slice(1), 'unfinished'],
  ])('reads %j as %s', (text, kind) => {
    expect(readSecret(text).kind).toBe(kind)
  })

  test('counts whole words', () => {
    expect(readSecret(',')).toEqual({ kind: 'unfinished', help: '0 words; a recovery phrase has 12, 15, 18, 21 or 24' })
    expect(readSecret('test te')).toEqual({
      kind: 'unfinished',
      help: '1 word; a recovery phrase has 12, 15, 18, 21 or 24',
    })
  })

  test.each([
    ['a word that is on no list', 'test quux test', 'Word 2 is not used'],
    ['the last word', 'test qqq', 'Word 2 is not used'],
    ['a wrong checksum', phrase.replace('junk', 'test'), 'These 12 words are not a valid recovery phrase'],
    [
      'two words swapped',
      'junk test test test test test test test test test test test',
      'are not a valid recovery phrase',
    ],
    ['25 words', `${phrase} ${phrase} test`, 'at most 24'],
    ['65 digits', `${key}0`, '64 digits'],
    ['zero', '0'.repeat(64), 'not a valid private key'],
    [
      'the order of the curve',
      'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
      'not a valid private key',
    ],
  ])('refuses %s', (_what, text, help) => {
    const read = readSecret(text)
    expect(read).toEqual({ kind: 'wrong', help: expect.stringContaining(help) })
    expect(JSON.stringify(read)).not.toMatch(/quux|qqq|junk/)
  })
})

describe('isMnemonic', () => {
  test('agrees with another implementation for any words', () => {
    const word = fc.constantFrom(...wordlist.slice(0, 300))
    fc.assert(
      fc.property(fc.array(word, { minLength: 0, maxLength: 27 }), (words) => {
        expect(isMnemonic(words)).toBe(validateMnemonic(words.join(' '), wordlist))
      }),
      { numRuns: 300 },
    )
  })

  test('refuses a word that is on no list', () => {
    expect(isMnemonic([...new Array(11).fill('test'), 'junk'])).toBe(true)
    expect(isMnemonic([...new Array(11).fill('test'), 'junks'])).toBe(false)
  })
})

describe('suggestWords', () => {
  test('suggests words with the same beginning', () => {
    expect(suggestWords('test aba')).toEqual(['abandon'])
    expect(suggestWords('AB')).toEqual(['abandon', 'ability', 'able', 'about'])
    for (const text of ['', 'a', 'abandon', 'test ', 'zzz', '0xab1']) expect(suggestWords(text), text).toEqual([])
  })
})

describe('toPlaintext', () => {
  const given = (text: string, passphrase = '') => ({ typed: readSecret(text), passphrase })

  test('returns the bytes of a phrase or a key', () => {
    expect(new TextDecoder().decode(toPlaintext(given(phrase.toUpperCase()), 'phrase', undefined))).toBe(phrase)
    for (const format of [undefined, 'HEXADECIMAL']) {
      expect(Buffer.from(toPlaintext(given(`0x${key}`), 'key', format)).toString('hex')).toBe(key)
    }
  })

  test('appends the passphrase as typed', () => {
    const text = new TextDecoder().decode(toPlaintext(given(phrase, ' Zoë '), 'phrase', undefined))
    expect(text).toBe(`${phrase}\n--PASS--\n Zoë `)
  })

  test.each([
    ['nothing', '', 'phrase', 'Nothing has been entered'],
    ['half a phrase', 'test test', 'phrase', '2 words'],
    ['a wrong phrase', phrase.replace('junk', 'test'), 'phrase', 'are not a valid recovery phrase'],
    ['a key for a phrase', key, 'phrase', 'This is a private key; the app asks for a recovery phrase'],
    ['a phrase for a key', phrase, 'key', 'This is a recovery phrase; the app asks for a private key'],
  ] as const)('refuses %s', (_what, text, wanted, message) => {
    expect(() => toPlaintext(given(text), wanted, undefined)).toThrow(message)
  })

  test('refuses a key format of another chain', () => {
    expect(() => toPlaintext(given(key), 'key', 'SOLANA')).toThrow('unsupported key format')
  })
})
