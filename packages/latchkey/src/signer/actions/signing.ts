import { signerTypes } from 'latchkey-protocol'
import {
  type Hex,
  hashMessage,
  hashTypedData,
  isHex,
  keccak256,
  type LocalAccount,
  type SerializeTransactionFn,
  type SignableMessage,
  type Signature,
  size,
  slice,
  type TransactionSerializable,
  type TypedData,
  type TypedDataDefinition,
} from 'viem'
import { toAccount } from 'viem/accounts'
import { createChunk } from '../../core/createChunk.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User } from '../types.ts'
import { getActiveSession } from './getActiveSession.ts'

/**
 * Signs a 32-byte digest without further hashing; prompts in a passkey session. Returns 65 bytes, `v` 27 or 28.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function signRawMessage(runner: SignerRunner, hash: Hex): Promise<Hex> {
  const { user, send } = getActiveSession(runner)
  if (!isHex(hash) || size(hash) !== 32) {
    throw new BaseError('Only a digest of 32 bytes can be signed as it is.', {
      code: 'REQUEST_INVALID',
      metaMessages: ['Pass hex with `0x` and 64 digits, or use `signMessage`.'],
    })
  }
  return send((stamp, signal) => runner.context.signerApi.signPayload(user, hash, stamp, signal))
}

/** Signs a message (EIP-191). */
export async function signMessage(runner: SignerRunner, message: SignableMessage): Promise<Hex> {
  return signRawMessage(runner, hashMessage(message))
}

/** Signs typed data (EIP-712). */
export async function signTypedData<const typedData extends TypedData | Record<string, unknown>, type extends string>(
  runner: SignerRunner,
  definition: TypedDataDefinition<typedData, type & (keyof typedData | 'EIP712Domain')>,
): Promise<Hex> {
  return signRawMessage(runner, hashTypedData(definition as Parameters<typeof hashTypedData>[0]))
}

/** Signs a 32-byte digest. */
type SignHash = (hash: Hex) => Promise<Hex>

/** Smart accounts sign hashes; few pages send transactions of the key itself. */
const transactionChunk = /* @__PURE__ */ createChunk({
  name: 'transaction',
  import: () => import('../serializeTransaction.ts'),
})

/** Signs a transaction and returns it serialized (EIP-2718), ready for `eth_sendRawTransaction`. */
export async function signTransaction(
  runner: SignerRunner,
  transaction: TransactionSerializable,
  options?: { serializer?: SerializeTransactionFn | undefined },
): Promise<Hex> {
  return serializeSigned(transaction, (hash) => signRawMessage(runner, hash), options?.serializer)
}

async function serializeSigned(
  transaction: TransactionSerializable,
  signHash: SignHash,
  serializer: SerializeTransactionFn | undefined,
): Promise<Hex> {
  const serialize = serializer ?? (await transactionChunk.load()).serializeTransaction
  const signature = await signHash(keccak256(await serialize(transaction)))
  return serialize(transaction, splitSignature(signature))
}

/** Splits 65 bytes, `v` 27 or 28. Own code: viem's `parseSignature` adds a whole curve to the bundle. */
function splitSignature(signature: Hex): Signature {
  return {
    r: slice(signature, 0, 32),
    s: slice(signature, 32, 64),
    yParity: slice(signature, 64, 65) === '0x1c' ? 1 : 0,
  }
}

/** Returns a viem account of the signed-in user. */
export function toViemAccount(runner: SignerRunner): LocalAccount<'alchemy-signer'> {
  return createViemAccount(getActiveSession(runner).user, (hash) => signRawMessage(runner, hash))
}

/** Returns a viem account of a user: EIP-191 messages, EIP-712 typed data, raw digests and transactions. */
export function createViemAccount(user: User, signHash: SignHash): LocalAccount<'alchemy-signer'> {
  const account = toAccount({
    address: user.address,
    sign: ({ hash }) => signHash(hash),
    signMessage: ({ message }) => signHash(hashMessage(message)),
    signTypedData: (definition) => signHash(hashTypedData(definition as Parameters<typeof hashTypedData>[0])),
    signTransaction: (transaction, options) =>
      serializeSigned(transaction, signHash, options?.serializer as SerializeTransactionFn | undefined),
  })
  return { ...account, source: signerTypes.embedded } as LocalAccount<'alchemy-signer'>
}
