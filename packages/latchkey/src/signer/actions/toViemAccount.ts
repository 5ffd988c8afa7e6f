import { type Hex, hashMessage, hashTypedData, type LocalAccount } from 'viem'
import { toAccount } from 'viem/accounts'
import { signerTypes } from '../../wire/headers.ts'
import type { User } from '../types.ts'
import { signTransaction } from './signTransaction.ts'

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
    signTransaction: (transaction, options) =>
      signTransaction({
        transaction,
        serializer: options?.serializer as signTransaction.Parameters['serializer'],
        signHash,
      }),
  })
  return { ...account, source: signerTypes.embedded } as toViemAccount.ReturnType
}
