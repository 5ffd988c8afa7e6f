import { ecdsa, weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'

/** secp256k1 (SEC 2 § 2.4.1) with ECDSA only. The library's own curve would add unused code. */
const secp256k1 = ecdsa(
  weierstrass({
    p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn,
    n: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
    h: 1n,
    a: 0n,
    b: 7n,
    Gx: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    Gy: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  }),
  sha256,
)

/** EIP-55. */
export type Address = `0x${string}`

/** Private key of an Ethereum account, in memory only. */
export type EthereumKey = {
  address: Address
  /** Signs deterministically (RFC 6979). Returns r and a low s, 32 bytes each, and the parity of the point's y. */
  sign(digest: Uint8Array): { r: Uint8Array; s: Uint8Array; yParity: 0 | 1 }
  /** Overwrites the key, which can then no longer sign. */
  wipe(): void
}

/** Creates a key from a copy of 32 bytes. The caller must overwrite the original. */
export function createEthereumKey(bytes: Uint8Array): EthereumKey {
  if (!secp256k1.utils.isValidSecretKey(bytes)) throw new FrameError('the export bundle holds no private key')
  const key = bytes.slice()
  let isWiped = false
  const point = secp256k1.getPublicKey(key, false)
  return {
    address: toChecksum(hex.encode(keccak_256(point.subarray(1)).subarray(12))),
    sign(digest) {
      if (isWiped) throw new FrameError('the key was cleared')
      const signature = secp256k1.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' })
      return { r: signature.slice(1, 33), s: signature.slice(33), yParity: signature[0] === 0 ? 0 : 1 }
    },
    wipe() {
      isWiped = true
      key.fill(0)
    },
  }
}

/** Returns the compressed public key of a private key: 33 bytes (SEC 1 § 2.3.3). */
export const readCompressedPoint = (key: Uint8Array): Uint8Array => secp256k1.getPublicKey(key, true)

/** Adds the EIP-55 checksum to an address of 40 lower-case hex digits. */
export function toChecksum(digits: string): Address {
  const hash = hex.encode(keccak_256(new TextEncoder().encode(digits)))
  const isUpper = (index: number) => Number.parseInt(hash[index] ?? '0', 16) >= 8
  const letters = [...digits].map((digit, index) => (isUpper(index) ? digit.toUpperCase() : digit))
  return `0x${letters.join('')}`
}

/** Returns the hash to sign for a message (ERC-191, version 0x45). The prefix contains the length in bytes. */
export function hashMessage(message: string): Uint8Array {
  const bytes = new TextEncoder().encode(message)
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${bytes.length}`)
  return keccak_256.create().update(prefix).update(bytes).digest()
}
