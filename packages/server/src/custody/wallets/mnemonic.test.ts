import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mnemonicBytes, mnemonicEntropy, mnemonicSeed } from './mnemonic.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('derives the sentence and the seed from entropy', async () => {
  const entropy = Buffer.from('df9bf37e6fcdf9bf37e6fcdf9bf37e3c', 'hex')
  expect(text(mnemonicBytes(entropy))).toBe('test test test test test test test test test test test junk')
  expect(Buffer.from(await mnemonicSeed(entropy)).toString('hex')).toBe(
    '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
  )
  expect(entropy.toString('hex')).toBe('df9bf37e6fcdf9bf37e6fcdf9bf37e3c')
})

test('agrees with another implementation for every length', async () => {
  const seed = Number(process.env.LATCHKEY_SEED)
  console.info(`seed ${seed}`)
  const lengths = fc.constantFrom(16, 20, 24, 28, 32)
  const entropies = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
  await fc.assert(
    fc.asyncProperty(entropies, async (entropy) => {
      const mnemonic = entropyToMnemonic(entropy, wordlist)
      expect(text(mnemonicBytes(entropy))).toBe(mnemonic)
      expect(Buffer.from(await mnemonicSeed(entropy))).toEqual(Buffer.from(mnemonicToSeedSync(mnemonic)))
    }),
    { seed, numRuns: 25 },
  )
})

const read = (text: string) => Buffer.from(mnemonicEntropy(new TextEncoder().encode(text))).toString('hex')
const junk = 'test test test test test test test test test test test junk'

test('reads entropy from a sentence in any case and spacing', () => {
  expect(read(junk)).toBe('df9bf37e6fcdf9bf37e6fcdf9bf37e3c')
  expect(read(`  ${junk.toUpperCase().replaceAll(' ', ' \t\r\n ')}\n`)).toBe('df9bf37e6fcdf9bf37e6fcdf9bf37e3c')
})

test('refuses a wrong checksum', () => {
  const other = junk.replace(/junk$/, 'test')
  expect(() => read(other)).toThrow('its checksum is wrong. Check the words and their order.')
  expect(() => read(`junk ${junk.slice(0, -5)}`)).toThrow('checksum')
})

test('names unknown words only by their position', () => {
  for (const [index, word] of ['tes', 'testt', '\u00e9t\u00e9', 'zzzz', 'aaa'].entries()) {
    const words = junk.split(' ')
    words[index] = word
    expect(() => read(words.join(' '))).toThrow(
      expect.objectContaining({
        message: `The recovery phrase cannot be imported: word ${index + 1} is not in the English list.`,
      }),
    )
  }
})

test('refuses another number of words', () => {
  for (const count of [0, 1, 11, 13, 25])
    expect(() => read(Array(count).fill('test').join(' '))).toThrow(`it has ${count} words, not 12, 15, 18, 21 or 24.`)
})
