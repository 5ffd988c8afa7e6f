import { sha256 } from '@noble/hashes/sha2.js'
import { wordlist } from '@scure/bip39/wordlists/english'

/**
 * Whether English words are a mnemonic (BIP-39): 12, 15, 18, 21 or 24 words of 11 bits each, of which the last 33rd is
 * the beginning of the SHA-256 of the rest.
 */
export function isMnemonic(words: readonly string[]): boolean {
  if (words.length < 12 || words.length > 24 || words.length % 3 !== 0) return false
  const indexes = words.map((word) => wordlist.indexOf(word))
  if (indexes.includes(-1)) return false
  const bits = indexes.map((index) => index.toString(2).padStart(11, '0')).join('')
  const checksumLength = words.length / 3
  const entropy = bits.slice(0, -checksumLength).match(/.{8}/g) ?? []
  const hash = sha256(Uint8Array.from(entropy, (byte) => Number.parseInt(byte, 2)))
  return (hash[0] ?? 0).toString(2).padStart(8, '0').startsWith(bits.slice(-checksumLength))
}
