import {
  type Hex,
  keccak256,
  type SerializeTransactionFn,
  type Signature,
  slice,
  type TransactionSerializable,
} from 'viem'
import { serializeTransaction } from '../transaction/serializeTransaction.ts'

export declare namespace signTransaction {
  type Parameters = {
    transaction: TransactionSerializable
    /** Default: Ethereum's, of every kind but blobs. */
    serializer?: SerializeTransactionFn | undefined
    /** Signs a 32-byte digest. */
    signHash: (hash: Hex) => Promise<Hex>
  }
  type ReturnType = Hex
}

/** Signs a transaction and answers it serialized (EIP-2718), ready for `eth_sendRawTransaction`. */
export async function signTransaction(parameters: signTransaction.Parameters): Promise<signTransaction.ReturnType> {
  const { transaction, signHash } = parameters
  const serializer = parameters.serializer ?? serializeTransaction
  const signature = await signHash(keccak256(await serializer(transaction)))
  return (await serializer(transaction, splitSignature(signature))) as Hex
}

/** By hand: viem's `parseSignature` brings a whole curve along. 65 bytes, `v` 27 or 28. */
function splitSignature(signature: Hex): Signature {
  return {
    r: slice(signature, 0, 32),
    s: slice(signature, 32, 64),
    yParity: slice(signature, 64, 65) === '0x1c' ? 1 : 0,
  }
}
