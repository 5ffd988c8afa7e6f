import type { Address, Hex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { parseKey } from '../platform/crypto/parseKey.ts'

/** A secp256k1 key of the service itself (paymaster), optionally held by a KMS. */
export type ServiceSigner = {
  /** EIP-55. */
  address: Address
  /** Signs a 32-byte digest without hashing: 65 bytes r, s, v with low s and v 27 or 28. */
  signHash(hash: Hex): Promise<Hex>
}

export declare namespace localServiceSigner {
  type Options = { key: string }
}

/** Returns a signer with a key in this process. `key`: 32 bytes, hex. */
export function localServiceSigner(options: localServiceSigner.Options): ServiceSigner {
  const privateKey: Hex = `0x${Buffer.from(parseKey(options.key, 'The service key')).toString('hex')}`
  return {
    address: privateKeyToAccount(privateKey).address,
    signHash: (hash) => sign({ hash, privateKey, to: 'hex' }),
  }
}
