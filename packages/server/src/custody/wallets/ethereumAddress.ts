import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type Address, bytesToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/** EIP-55 address and compressed public key (hex) of a secp256k1 private key. */
export function ethereumAddress(privateKey: Uint8Array): { address: Address; publicKey: string } {
  return {
    address: publicKeyToAddress(bytesToHex(secp256k1.getPublicKey(privateKey, false))),
    publicKey: bytesToHex(secp256k1.getPublicKey(privateKey, true)).slice(2),
  }
}
