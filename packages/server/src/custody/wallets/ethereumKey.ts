import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { type Address, bytesToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { custodyError } from '../custodyError.ts'
import { mnemonicSeed } from './mnemonic.ts'

/**
 * Derives the BIP-32 secp256k1 private key (32 bytes) at a path such as `m/44'/60'/0'/0/0` from a wallet's entropy.
 * Wipes the seed and inner nodes; the caller wipes the key.
 */
export async function deriveKey(entropy: Uint8Array, path: string): Promise<Uint8Array> {
  const seed = await mnemonicSeed(entropy)
  let node = HDKey.fromMasterSeed(seed)
  seed.fill(0)
  for (const index of parsePath(path)) {
    const child = node.deriveChild(index)
    node.wipePrivateData()
    node = child
  }
  const key = Uint8Array.from(node.privateKey ?? [])
  node.wipePrivateData()
  return key
}

/** Returns EIP-55 address and compressed public key (hex) of a secp256k1 private key. */
export function ethereumAddress(privateKey: Uint8Array): { address: Address; publicKey: string } {
  return {
    address: publicKeyToAddress(bytesToHex(secp256k1.getPublicKey(privateKey, false))),
    publicKey: bytesToHex(secp256k1.getPublicKey(privateKey, true)).slice(2),
  }
}

/**
 * Parses a BIP-32 path into child numbers, hardened ones with the top bit set.
 *
 * @throws `REQUEST_INVALID`.
 */
export function parsePath(path: string): number[] {
  if (!/^m(?:\/\d{1,10}'?){1,10}$/.test(path)) throw invalid(path)
  return path
    .split('/')
    .slice(1)
    .map((part) => {
      const index = Number.parseInt(part, 10)
      if (index > 0x7fffffff) throw invalid(path)
      return part.endsWith("'") ? index + 0x80000000 : index
    })
}

function invalid(path: string) {
  return custodyError(
    'REQUEST_INVALID',
    `The path ${JSON.stringify(path.slice(0, 80))} is not a BIP-32 path such as m/44'/60'/0'/0/0.`,
  )
}
