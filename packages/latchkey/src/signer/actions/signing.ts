import { type SignablePayload, signerTypes, type UserOperationPayload } from 'latchkey-protocol'
import {
  type AuthorizationRequest,
  getTypesForEIP712Domain,
  type Hex,
  hashMessage,
  hashTypedData,
  isHex,
  keccak256,
  type LocalAccount,
  numberToHex,
  type SerializeTransactionFn,
  type SignableMessage,
  type Signature,
  type SignedAuthorization,
  size,
  slice,
  type TransactionSerializable,
  type TypedData,
  type TypedDataDefinition,
  toPrefixedMessage,
} from 'viem'
import { toAccount } from 'viem/accounts'
import { createChunk } from '../../core/createChunk.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import type { SignedContent, SignUserOperationParameters } from '../../core/signedContent.ts'
import type { Signable } from '../runner/api/createSignerApi.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User } from '../types.ts'
import { getActiveSession } from './getActiveSession.ts'

/**
 * Signs with the session's key. If the user has no e-mail address, content that the service must review requires the
 * passkey.
 */
async function signContent(runner: SignerRunner, signable: Signable): Promise<Hex> {
  const { user, session, send } = getActiveSession(runner)
  const sign = (by?: 'person') =>
    send((stamp, signal) => runner.context.signerApi.signPayload(user, signable, stamp, signal), by)
  return sign().catch((error: unknown) => {
    const isPasskeyNeeded = error instanceof HttpError && error.serverCode === 'CONFIRMATION_NEEDED'
    if (isPasskeyNeeded && session.type === 'passkey' && session.deviceKey !== undefined) return sign('person')
    throw error
  })
}

/**
 * Signs a 32-byte digest without further hashing; prompts in a passkey session. Returns 65 bytes, `v` 27 or 28.
 *
 * @throws `REQUEST_INVALID`, `REQUEST_NOT_AUTHORIZED` (the project does not allow signing digests).
 */
export async function signRawMessage(runner: SignerRunner, hash: Hex): Promise<Hex> {
  return signContent(runner, { hash: requireDigest(hash) })
}

function requireDigest(hash: Hex): Hex {
  if (isHex(hash) && size(hash) === 32) return hash
  throw new BaseError('Only a 32-byte digest can be signed without hashing.', {
    code: 'REQUEST_INVALID',
    metaMessages: ['Pass hex with `0x` and 64 digits, or use `signMessage`.'],
  })
}

export async function signMessage(runner: SignerRunner, message: SignableMessage): Promise<Hex> {
  return signContent(runner, toMessage(message))
}

/**
 * Signs typed data (EIP-712). If an account has wrapped a message in the typed data, only the message's hash is
 * visible; pass the message itself as `content`, so that the service can read it.
 */
export async function signTypedData<const typedData extends TypedData | Record<string, unknown>, type extends string>(
  runner: SignerRunner,
  definition: TypedDataDefinition<typedData, type & (keyof typedData | 'EIP712Domain')>,
  content?: SignedContent | undefined,
): Promise<Hex> {
  return signContent(runner, toTypedData(definition as TypedDataDefinition, content))
}

/** Signs a user operation by its hash (EIP-191). Also sends the operation, so that the service can read it. */
export async function signUserOperation(runner: SignerRunner, parameters: SignUserOperationParameters): Promise<Hex> {
  return signContent(runner, toOperation(parameters))
}

function toMessage(message: SignableMessage): Signable {
  return { hash: hashMessage(message), content: ofBytes(toPrefixedMessage(message)) }
}

const ofBytes = (payload: Hex): SignablePayload => ({
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  payload,
})

function toTypedData(definition: TypedDataDefinition, content?: SignedContent): Signable {
  const { domain = {}, types, primaryType, message } = definition
  const wrapper = {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types },
    primaryType,
    message,
  }
  const hash = hashTypedData(definition)
  if (!content) return { hash, content: ofJson('PAYLOAD_ENCODING_EIP712', wrapper) }
  const inner = 'message' in content ? toMessage(content.message) : toTypedData(content.typedData)
  return { hash, content: ofJson('PAYLOAD_ENCODING_ACCOUNT_MESSAGE', { wrapper, content: inner.content }) }
}

function toOperation({ hash, chainId, entryPoint, operation }: SignUserOperationParameters): Signable {
  const fields = Object.entries(operation).flatMap(([name, value]) =>
    // viem passes options of its `sendUserOperation` along, such as the account.
    typeof value === 'object' || name === 'dataSuffix'
      ? []
      : [[name, typeof value === 'bigint' ? numberToHex(value) : value]],
  )
  const payload = { chainId, entryPoint, operation: Object.fromEntries(fields) } satisfies UserOperationPayload
  return { hash: hashMessage({ raw: hash }), content: ofJson('PAYLOAD_ENCODING_USER_OPERATION', payload) }
}

const ofJson = (encoding: SignablePayload['encoding'], payload: object): SignablePayload => ({
  encoding,
  hashFunction: 'HASH_FUNCTION_NO_OP',
  payload: JSON.stringify(payload, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
})

/** Signs content for a viem account. */
type Sign = (signable: Signable) => Promise<Hex>

/** Loaded on demand, because few pages send transactions from the key's own address (EOA). */
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
  return serializeSigned(transaction, (signable) => signContent(runner, signable), options?.serializer)
}

async function serializeSigned(
  transaction: TransactionSerializable,
  sign: Sign,
  serializer: SerializeTransactionFn | undefined,
): Promise<Hex> {
  const serialize = serializer ?? (await transactionChunk.load()).serializeTransaction
  const unsigned = await serialize(transaction)
  const signature = await sign({ hash: keccak256(unsigned), content: ofBytes(unsigned) })
  return serialize(transaction, splitSignature(signature))
}

/** Signs an EIP-7702 authorization. The service reads it and refuses unknown delegates and chain id 0. */
async function signAuthorization(request: AuthorizationRequest, sign: Sign): Promise<SignedAuthorization> {
  const { chainId, nonce } = request
  const address = request.contractAddress ?? request.address
  if (!chainId) {
    throw new BaseError('The authorization has no chain id, so it would be valid on every chain.', {
      code: 'REQUEST_INVALID',
      metaMessages: ['Pass `chainId`.'],
    })
  }
  const content = ofJson('PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', { address, chainId, nonce })
  return { address, chainId, nonce, ...splitSignature(await sign({ content })) }
}

/**
 * Splits a 65-byte signature with `v` 27 or 28. Does not use viem's `parseSignature`, which adds an elliptic-curve
 * library to the bundle.
 */
function splitSignature(signature: Hex) {
  return {
    r: slice(signature, 0, 32),
    s: slice(signature, 32, 64),
    yParity: slice(signature, 64, 65) === '0x1c' ? 1 : 0,
  } satisfies Signature
}

/** Returns a viem account of the signed-in user. */
export function toViemAccount(runner: SignerRunner): LocalAccount<'alchemy-signer'> {
  return createViemAccount(getActiveSession(runner).user, (signable) => signContent(runner, signable))
}

/**
 * Creates a viem account of a user. It signs EIP-191 messages, EIP-712 typed data, transactions, user operations of
 * Latchkey's accounts, EIP-7702 authorizations, and raw digests if the project allows them.
 */
export function createViemAccount({ address }: User, sign: Sign): LocalAccount<'alchemy-signer'> {
  const account: LocalAccount = toAccount({
    address,
    sign: async ({ hash }) => sign({ hash: requireDigest(hash) }),
    signMessage: ({ message }) => sign(toMessage(message)),
    signTypedData: (definition) => sign(toTypedData(definition as TypedDataDefinition)),
    signTransaction: (transaction, options) =>
      serializeSigned(transaction, sign, options?.serializer as SerializeTransactionFn | undefined),
    signAuthorization: (request) => signAuthorization(request, sign),
  })
  // Latchkey's accounts call these methods with the content to sign, instead of only its hash.
  const contentSigner = {
    signTypedData: (definition: TypedDataDefinition, content?: SignedContent) => sign(toTypedData(definition, content)),
    signUserOperation: (parameters: SignUserOperationParameters) => sign(toOperation(parameters)),
  }
  return { ...account, contentSigner, source: signerTypes.embedded } as LocalAccount<'alchemy-signer'>
}
