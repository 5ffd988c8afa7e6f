import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type IntentPayload, isAccountWrapper } from 'latchkey-protocol'
import {
  bytesToHex,
  type Hex,
  hexToBytes,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { hashAuthorization } from 'viem/utils'
import { z } from 'zod'
import {
  type HashingBudget,
  hashTypedDataFairly,
  type TypedData,
  typedDataBounds,
} from '../../../platform/crypto/hashTypedDataFairly.ts'
import { ServerError } from '../../../platform/errors/ServerError.ts'
import { parseJson, validate } from '../../../platform/http/requestBody.ts'
import { createScheduler } from '../../../platform/limits/createScheduler.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { custodyError, tooManyAtOnce } from '../../custodyError.ts'
import { hashingShares, largePayloadLength, turnWaitMs } from '../../custodyLimits.ts'
import { addressSchema } from '../../custodySchemas.ts'
import { hashOperation } from './hashOperation.ts'
import { type Charged, readCharged } from './listSpends.ts'

export const payloadEncodings = [
  'PAYLOAD_ENCODING_HEXADECIMAL',
  'PAYLOAD_ENCODING_TEXT_UTF8',
  'PAYLOAD_ENCODING_EIP712',
  'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
  'PAYLOAD_ENCODING_USER_OPERATION',
  'PAYLOAD_ENCODING_ACCOUNT_MESSAGE',
] as const
export const hashFunctions = [
  'HASH_FUNCTION_NO_OP',
  'HASH_FUNCTION_SHA256',
  'HASH_FUNCTION_KECCAK256',
  'HASH_FUNCTION_NOT_APPLICABLE',
] as const

type Encoding = (typeof payloadEncodings)[number]
export type Payload = { encoding: Encoding; hashFunction: (typeof hashFunctions)[number]; payload: string }
/** The 32 bytes to sign, their content, and the account's chain and fee. */
export type ReadPayload = Charged & { digest: Uint8Array; content: IntentPayload }

const schedule = createScheduler({ ...hashingShares, waitMs: turnWaitMs, refuse: tooManyAtOnce })

/**
 * Reads and hashes the payloads of one request. Large payloads share one queue across requests; small ones are read
 * immediately. @throws `REQUEST_INVALID`, `RATE_LIMIT_EXCEEDED`.
 */
export async function readPayloads(caller: Caller, payloads: readonly Payload[]): Promise<ReadPayload[]> {
  const readAll = async () => {
    const budget = { ...typedDataBounds }
    const all: ReadPayload[] = []
    for (const payload of payloads) all.push(await readPayload(payload, budget))
    return all
  }
  const length = payloads.reduce((sum, { payload }) => sum + payload.length, 0)
  if (length <= largePayloadLength) return readAll()
  return schedule({ group: caller.rootOrgId, member: caller.orgId }, readAll)
}

/** Encodings that define their own hash and accept no other hash function. */
const readers: {
  readonly [encoding in Encoding]?: (payload: string, budget: HashingBudget) => Promise<ReadPayload> | ReadPayload
} = {
  PAYLOAD_ENCODING_EIP712: async (payload, budget) =>
    readTypedData(validate(typedDataSchema, readJson(payload), 'typed data'), budget),
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: readAuthorization,
  PAYLOAD_ENCODING_USER_OPERATION: (payload) => hashOperation(readJson(payload)),
  PAYLOAD_ENCODING_ACCOUNT_MESSAGE: readAccountMessage,
}

async function readPayload({ encoding, hashFunction, payload }: Payload, budget: HashingBudget): Promise<ReadPayload> {
  if (hashFunction === 'HASH_FUNCTION_NOT_APPLICABLE')
    throw invalid('HASH_FUNCTION_NOT_APPLICABLE is for Ed25519. This key is on secp256k1: name a hash function.')
  const reader = readers[encoding]
  if (reader) {
    if (hashFunction === 'HASH_FUNCTION_NO_OP') return reader(payload, budget)
    throw invalid(`${encoding} has a hash of its own. Send HASH_FUNCTION_NO_OP with it.`)
  }
  const bytes = encoding === 'PAYLOAD_ENCODING_TEXT_UTF8' ? Buffer.from(payload, 'utf8') : decodeHex(payload)
  switch (hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      // Ethereum signs Keccak-256 hashes, so no contract confuses this digest with one of its own.
      return { digest: createHash('sha256').update(bytes).digest(), content: toMessage(bytes) }
    case 'HASH_FUNCTION_KECCAK256':
      return { digest: keccak_256(bytes), ...readPreimage(bytes) }
    case 'HASH_FUNCTION_NO_OP':
      if (bytes.length === 32) return { digest: bytes, content: { kind: 'digest' } }
      throw invalid('With HASH_FUNCTION_NO_OP the payload must be a digest of 32 bytes.')
  }
}

function decodeHex(payload: string): Uint8Array {
  const digits = payload.startsWith('0x') ? payload.slice(2) : payload
  if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return Buffer.from(digits, 'hex')
  throw invalid('The payload is not hex. Encode it, with or without 0x.')
}

/** Reads bytes that are hashed with Keccak-256: an EIP-191 message, an unsigned transaction, or unknown content. */
function readPreimage(bytes: Uint8Array): Omit<ReadPayload, 'digest'> {
  const message = readPersonalMessage(bytes)
  return message ? { content: message } : (readTransaction(bytes) ?? { content: { kind: 'digest' } })
}

const personalPrefix = '\u0019Ethereum Signed Message:\n'

function readPersonalMessage(bytes: Uint8Array): IntentPayload | undefined {
  const head = Buffer.from(bytes.subarray(0, personalPrefix.length + 10)).toString('latin1')
  if (!head.startsWith(personalPrefix)) return undefined
  const [length = ''] = /^(0|[1-9]\d*)/.exec(head.slice(personalPrefix.length)) ?? []
  // A message may begin with digits, which directly follow the digits of its length.
  for (let digits = length.length; digits > 0; digits--) {
    const start = personalPrefix.length + digits
    if (bytes.length - start === Number(length.slice(0, digits))) return toMessage(bytes.subarray(start))
  }
  return undefined
}

function toMessage(bytes: Uint8Array): IntentPayload {
  return { kind: 'message', text: decodeText(bytes), bytes: bytes.length }
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads an unsigned transaction. Accepts only the canonical encoding, which serializes back to the same bytes. */
function readTransaction(bytes: Uint8Array): Omit<ReadPayload, 'digest'> | undefined {
  const hex = bytesToHex(bytes)
  try {
    const transaction: TransactionSerializable = parseTransaction(hex)
    if (transaction.r !== undefined || serializeTransaction(transaction) !== hex) return undefined
    return toTransaction(transaction)
  } catch {
    return undefined
  }
}

/** Returns the content of a transaction. The caller sets its sender to the key's address. */
export function toTransaction(transaction: TransactionSerializable): Omit<ReadPayload, 'digest'> {
  const { to, value, data, authorizationList, chainId, gas = 0n, gasPrice, maxFeePerGas } = transaction
  const delegates = (authorizationList ?? []).map(({ address }) => address)
  const blobFee =
    (transaction.maxFeePerBlobGas ?? 0n) * gasPerBlob * BigInt(transaction.blobVersionedHashes?.length ?? 0)
  return {
    content: { kind: 'transaction', from: '', to: to ?? undefined, value: value ?? 0n, data: data ?? '0x', delegates },
    chainId,
    fee: gas * (maxFeePerGas ?? gasPrice ?? 0n) + blobFee,
  }
}

/** EIP-4844. */
const gasPerBlob = 131_072n

const typedDataSchema = z.object({
  domain: z.record(z.string(), z.unknown()).default({}),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
})

async function readTypedData(typedData: TypedData, budget: HashingBudget): Promise<ReadPayload> {
  try {
    const digest = hexToBytes(await hashTypedDataFairly(typedData, budget))
    const content: IntentPayload = { kind: 'typed-data', ...typedData }
    return { digest, content, ...readCharged(content) }
  } catch (cause) {
    if (cause instanceof ServerError) throw cause
    throw invalid('The typed data cannot be hashed: its message or domain does not fit its types (EIP-712).', cause)
  }
}

const accountMessageSchema = z.strictObject({
  wrapper: typedDataSchema,
  content: z.strictObject({
    encoding: z.enum(['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8', 'PAYLOAD_ENCODING_EIP712']),
    hashFunction: z.enum(['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_KECCAK256']),
    payload: z.string(),
  }),
})

/**
 * Reads a message of a smart account (ERC-1271). It consists of the content, and of typed data whose only member is the
 * content's hash.
 */
async function readAccountMessage(payload: string, budget: HashingBudget): Promise<ReadPayload> {
  const { wrapper, content } = validate(accountMessageSchema, readJson(payload), 'account message')
  if (!isAccountWrapper(wrapper)) throw invalid(`${wrapper.primaryType} is not a struct in which accounts wrap a hash.`)
  const inner = await readPayload(content, budget)
  const members = Object.values(wrapper.message)
  const digest: Hex = bytesToHex(inner.digest)
  if (members.length !== 1 || String(members[0]).toLowerCase() !== digest)
    throw invalid("The message of `wrapper` must have one member: the content's hash.")
  return { ...inner, digest: (await readTypedData(wrapper, budget)).digest }
}

const authorizationSchema = z.strictObject({
  address: addressSchema,
  chainId: z.int().min(1, 'must name a chain: an authorization of chain id 0 holds on every chain'),
  nonce: z.int().min(0),
})

function readAuthorization(payload: string): ReadPayload {
  const { address, chainId, nonce } = validate(authorizationSchema, readJson(payload), 'authorization')
  const digest = hexToBytes(hashAuthorization({ address: address as Hex, chainId, nonce }))
  return { digest, content: { kind: 'authorization', delegate: address }, chainId }
}

function readJson(payload: string): unknown {
  try {
    return parseJson(new TextEncoder().encode(payload))
  } catch (cause) {
    throw invalid('The payload is not JSON, which its encoding asks for.', cause)
  }
}

function invalid(message: string, cause?: unknown): ServerError {
  return custodyError('REQUEST_INVALID', message, cause)
}
