import { hex } from '@scure/base'
import { generateMnemonic, mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { hashMessage } from '../sign/ethereumKey.ts'
import { createPaperKey } from './createPaperKey.ts'

test('makes the phrase and the key that other wallets derive from it', async () => {
  for (let round = 0; round < 20; round++) {
    const phrase = generateMnemonic(wordlist)
    const { words, key } = await createPaperKey(mnemonicToEntropy(phrase, wordlist).slice())
    const account = mnemonicToAccount(phrase)
    expect(words.join(' ')).toBe(phrase)
    expect(key.address).toBe(account.address)
    const { r, s, yParity } = key.sign(hashMessage('hello'))
    const signature = `0x${hex.encode(r)}${hex.encode(s)}${yParity === 0 ? '1b' : '1c'}`
    expect(signature).toBe(await account.signMessage({ message: 'hello' }))
  }
})

test('makes another phrase each time', async () => {
  const phrases = await Promise.all([createPaperKey(), createPaperKey()])
  expect(new Set(phrases.map(({ words }) => words.join(' '))).size).toBe(2)
  for (const { words } of phrases) expect(words).toHaveLength(12)
})
