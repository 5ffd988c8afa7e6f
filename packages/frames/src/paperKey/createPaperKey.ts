import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { wordlist } from '@scure/bip39/wordlists/english'
import { FrameError } from '../FrameError.ts'
import { createEthereumKey, type EthereumKey, readCompressedPoint } from '../sign/ethereumKey.ts'

const rounds = 2048

export type PaperKey = { words: readonly string[]; key: EthereumKey }

/** Creates a phrase of 12 words, and the key that wallets derive from it with the path m/44'/60'/0'/0/0. */
export async function createPaperKey(
  entropy: Uint8Array<ArrayBuffer> = crypto.getRandomValues(new Uint8Array(16)),
): Promise<PaperKey> {
  const words = toPhrase(entropy)
  entropy.fill(0)
  const bytes = await deriveKey(words.join(' '))
  const key = createEthereumKey(bytes)
  bytes.fill(0)
  return { words, key }
}

/** Encodes 16 bytes as 12 words of 11 bits each. The last word ends with a 4-bit checksum (BIP-39). */
function toPhrase(entropy: Uint8Array): string[] {
  const checksum = (sha256(entropy)[0] ?? 0) >> 4
  const bits = (toNumber(entropy) << 4n) | BigInt(checksum)
  return Array.from({ length: 12 }, (_, index) => wordlist[Number((bits >> BigInt(11 * (11 - index))) & 2047n)] ?? '')
}

/** Derives the first Ethereum key of a phrase (BIP-32, BIP-44). */
async function deriveKey(phrase: string): Promise<Uint8Array> {
  const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text))
  const material = await crypto.subtle.importKey('raw', encode(phrase), 'PBKDF2', false, ['deriveBits'])
  const pbkdf2 = { name: 'PBKDF2', hash: 'SHA-512', salt: encode('mnemonic'), iterations: rounds }
  const seed = new Uint8Array(await crypto.subtle.deriveBits(pbkdf2, material, 512))
  const root: Uint8Array = hmac(sha512, encode('Bitcoin seed'), seed)
  return [hardened(44), hardened(60), hardened(0), 0, 0].reduce(deriveChild, root).slice(0, 32)
}

const hardened = (index: number) => index + 0x80000000
/** Order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Derives private key and chain code of a child node (BIP-32), 32 bytes each. */
function deriveChild(node: Uint8Array, index: number): Uint8Array {
  const [key, chainCode] = [node.subarray(0, 32), node.subarray(32)]
  const data = new Uint8Array(37)
  if (index >= 0x80000000) data.set(key, 1)
  else data.set(readCompressedPoint(key))
  new DataView(data.buffer).setUint32(33, index)
  const child = hmac(sha512, chainCode, data)
  const value = (toNumber(child.subarray(0, 32)) + toNumber(key)) % order
  // Practically impossible: the probability is below 2^-127.
  if (value === 0n) throw new FrameError('this key could not be made: try again')
  child.set(toBytes(value))
  return child
}

const toNumber = (bytes: Uint8Array) => bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
const toBytes = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * (31 - index))) & 255n))
