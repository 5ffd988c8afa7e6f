import {
  type Hex,
  hashMessage,
  hashTypedData,
  keccak256,
  type LocalAccount,
  type Signature,
  serializeTransaction,
  slice,
} from 'viem'
import { toAccount } from 'viem/accounts'
import { signerTypes } from '../../wire/headers.ts'
import type { User } from '../types.ts'

export declare namespace toViemAccount {
  type Parameters = {
    user: User
    /** Signs a 32-byte digest. */
    signHash: (hash: Hex) => Promise<Hex>
  }
  type ReturnType = LocalAccount<'alchemy-signer'>
}

/** A viem account over a signer: EIP-191 messages, EIP-712 typed data, raw digests and transactions. */
export function toViemAccount({ user, signHash }: toViemAccount.Parameters): toViemAccount.ReturnType {
  const account = toAccount({
    address: user.address,
    sign: ({ hash }) => signHash(hash),
    signMessage: ({ message }) => signHash(hashMessage(message)),
    signTypedData: (definition) => signHash(hashTypedData(definition as Parameters<typeof hashTypedData>[0])),
    async signTransaction(transaction, options) {
      const serialize = options?.serializer ?? serializeTransaction
      const signature = await signHash(keccak256(await serialize(transaction)))
      return (await serialize(transaction, splitSignature(signature))) as Hex
    },
  })
  return { ...account, source: signerTypes.embedded } as toViemAccount.ReturnType
}

/** By hand: viem's `parseSignature` brings a whole curve along. 65 bytes, `v` 27 or 28. */
function splitSignature(signature: Hex): Signature {
  return {
    r: slice(signature, 0, 32),
    s: slice(signature, 32, 64),
    yParity: slice(signature, 64, 65) === '0x1c' ? 1 : 0,
  }
}
