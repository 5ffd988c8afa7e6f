import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mnemonicBytes, mnemonicSeed } from './mnemonicSeed.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('default', async () => {
  const entropy = Buffer.from('df9bf37e6fcdf9bf37e6fcdf9bf37e3c', 'hex')
  expect(text(mnemonicBytes(entropy))).toBe('test test test test test test test test test test test junk')
  expect(Buffer.from(await mnemonicSeed(entropy)).toString('hex')).toBe(
    '9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0',
  )
  expect(entropy.toString('hex')).toBe('df9bf37e6fcdf9bf37e6fcdf9bf37e3c')
})

test('behavior: agrees with another implementation for every length', async () => {
  const seed = Date.now()
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
