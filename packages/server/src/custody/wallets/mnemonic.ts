import { createHash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { custodyError } from '../custodyError.ts'

// Implements BIP-39 on bytes, since the library's functions take and return strings, which cannot be wiped.

const pbkdf2Async = promisify(pbkdf2)
const wordCounts = [12, 15, 18, 21, 24]

/**
 * Derives the BIP-39 seed (64 bytes) of an entropy with the English word list and an empty passphrase.
 * The sentence is built as bytes, never as a string, so that it can be wiped.
 */
export async function mnemonicSeed(entropy: Uint8Array): Promise<Uint8Array> {
  const mnemonic = mnemonicBytes(entropy)
  try {
    // The words are ASCII, so NFKD changes nothing.
    return await pbkdf2Async(mnemonic, 'mnemonic', 2048, 64, 'sha512')
  } finally {
    mnemonic.fill(0)
  }
}

/** Returns the BIP-39 sentence of an entropy of 16 to 32 bytes as UTF-8 with single spaces. The caller wipes it. */
export function mnemonicBytes(entropy: Uint8Array): Uint8Array {
  const checksum = createHash('sha256').update(entropy).digest()
  const bits = new Uint8Array(entropy.length + 1)
  bits.set(entropy)
  bits[entropy.length] = checksum[0] ?? 0
  const wordCount = (entropy.length * 3) / 4
  const words = new Uint8Array(wordCount * 9)
  let length = 0
  for (let word = 0; word < wordCount; word++) {
    const text = wordlist[readBits(bits, word * 11)] ?? ''
    if (word > 0) words[length++] = 0x20
    for (let index = 0; index < text.length; index++) words[length++] = text.charCodeAt(index)
  }
  const mnemonic = words.slice(0, length)
  words.fill(0)
  bits.fill(0)
  return mnemonic
}

/**
 * Decodes the entropy (16 to 32 bytes) of an English BIP-39 sentence in UTF-8. Accepts upper and lower case, and any
 * white space between words. The sentence never becomes a string, which could not be wiped; the caller wipes sentence
 * and entropy. @throws `REQUEST_INVALID`, with the position of a wrong word but never the word.
 */
export function mnemonicEntropy(mnemonic: Uint8Array): Uint8Array {
  const indexes = readWords(mnemonic)
  if (!wordCounts.includes(indexes.length)) throw refused(`it has ${indexes.length} words, not 12, 15, 18, 21 or 24.`)
  const unknown = indexes.indexOf(-1)
  if (unknown !== -1) throw refused(`word ${unknown + 1} is not in the English list.`)
  const bits = new Uint8Array(Math.ceil((indexes.length * 11) / 8))
  for (const [word, index] of indexes.entries())
    for (let bit = 0; bit < 11; bit++) {
      const at = word * 11 + bit
      bits[at >> 3] = (bits[at >> 3] ?? 0) | (((index >> (10 - bit)) & 1) << (7 - (at & 7)))
    }
  indexes.fill(0)
  const entropy = bits.slice(0, (indexes.length * 4) / 3)
  // The checksum has one bit of SHA-256 per three words.
  const mask = 0xff & (0xff << (8 - indexes.length / 3))
  const expected = (createHash('sha256').update(entropy).digest()[0] ?? 0) & mask
  const matches = bits[entropy.length] === expected
  bits.fill(0)
  if (matches) return entropy
  entropy.fill(0)
  throw refused('its checksum is wrong. Check the words and their order.')
}

function readBits(bytes: Uint8Array, offset: number): number {
  let value = 0
  for (let bit = offset; bit < offset + 11; bit++)
    value = (value << 1) | (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1)
  return value
}

function readWords(text: Uint8Array): number[] {
  const indexes: number[] = []
  for (let at = 0; at < text.length; at++) {
    if (isSpace(text[at])) continue
    const start = at
    while (at < text.length && !isSpace(text[at])) at++
    indexes.push(findWord(text.subarray(start, at)))
  }
  return indexes
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function findWord(word: Uint8Array): number {
  let [low, high] = [0, wordlist.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = compare(word, wordlist[middle] ?? '')
    if (order === 0) return middle
    if (order < 0) high = middle - 1
    else low = middle + 1
  }
  return -1
}

function compare(word: Uint8Array, listed: string): number {
  for (let index = 0; index < Math.max(word.length, listed.length); index++) {
    const byte = word[index] ?? 0
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
    const order = lower - (index < listed.length ? listed.charCodeAt(index) : 0)
    if (order !== 0) return order
  }
  return 0
}

function refused(why: string) {
  return custodyError('REQUEST_INVALID', `The recovery phrase cannot be imported: ${why}`)
}
