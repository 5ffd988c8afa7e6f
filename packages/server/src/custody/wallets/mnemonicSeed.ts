import { createHash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { wordlist } from '@scure/bip39/wordlists/english.js'

const pbkdf2Async = promisify(pbkdf2)

/**
 * BIP-39 seed (64 bytes) of an entropy with the English word list and an empty passphrase.
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

/**
 * BIP-39 sentence of an entropy of 16 to 32 bytes as UTF-8, single spaces. The caller wipes it.
 */
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

/** Eleven bits from a bit offset, most significant first. */
function readBits(bytes: Uint8Array, offset: number): number {
  let value = 0
  for (let bit = offset; bit < offset + 11; bit++)
    value = (value << 1) | (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1)
  return value
}
