import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMnemonic } from './isMnemonic.ts'

test('default: mnemonics of every length', () => {
  for (const strength of [128, 160, 192, 224, 256]) {
    for (let count = 0; count < 20; count++) {
      const phrase = generateMnemonic(wordlist, strength)
      expect(isMnemonic(phrase.split(' ')), phrase).toBe(true)
    }
  }
})

test('behavior: any words are judged as other code judges them', () => {
  const word = fc.constantFrom(...wordlist.slice(0, 300))
  fc.assert(
    fc.property(fc.array(word, { minLength: 0, maxLength: 27 }), (words) => {
      expect(isMnemonic(words)).toBe(validateMnemonic(words.join(' '), wordlist))
    }),
    { numRuns: 300 },
  )
})

test('error: a word that is on no list', () => {
  expect(isMnemonic([...new Array(11).fill('test'), 'junk'])).toBe(true)
  expect(isMnemonic([...new Array(11).fill('test'), 'junks'])).toBe(false)
})
