import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from 'viem'
import { hashAuthorization } from 'viem/utils'
import { z } from 'zod'
import { createPause } from '../../../platform/crypto/createPause.ts'
import {
  type HashingBudget,
  hashTypedDataFairly,
  typedDataBounds,
} from '../../../platform/crypto/hashTypedDataFairly.ts'
import { ServerError } from '../../../platform/errors/ServerError.ts'
import { parseJson, validate } from '../../../platform/http/requestBody.ts'
import { createScheduler } from '../../../platform/limits/createScheduler.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { custodyError, tooManyAtOnce } from '../../custodyError.ts'
import { hashingShares, largePayloadLength, turnWaitMs } from '../../custodyLimits.ts'
import { addressSchema, signWithSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { assertOwnOrganization } from '../../permissions.ts'
import { withSigningKey } from '../../wallets/withSigningKey.ts'

const common = {
  signWith: signWithSchema,
  encoding: z.enum([
    'PAYLOAD_ENCODING_HEXADECIMAL',
    'PAYLOAD_ENCODING_TEXT_UTF8',
    'PAYLOAD_ENCODING_EIP712',
    'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
  ]),
  hashFunction: z.enum([
    'HASH_FUNCTION_NO_OP',
    'HASH_FUNCTION_SHA256',
    'HASH_FUNCTION_KECCAK256',
    'HASH_FUNCTION_NOT_APPLICABLE',
  ]),
}

const payloadSchema = z.strictObject({ ...common, payload: z.string() })
const payloadsSchema = z.strictObject({ ...common, payloads: z.array(z.string()).min(1).max(100) })

/** `sign_raw_payload`, version 2: signs one payload (custody protocol § 2.6). */
export const signRawPayload = defineActivity({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { intent: 'signRawPayloadIntentV2', result: 'signRawPayloadResult' } },
  parameters: payloadSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  async execute(context, { db, caller, organization, parameters }) {
    const [digest = new Uint8Array()] = await hashPayloads(caller, [parameters])
    const signer = { orgId: organization.id, signWith: parameters.signWith }
    return withSigningKey(db, context.keyEncryption, signer, (sign) => sign(digest))
  },
})

/** `sign_raw_payloads`: signs several payloads with one key, all of them or none (custody protocol § 2.6). */
export const signRawPayloads = defineActivity({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: { intent: 'signRawPayloadsIntent', result: 'signRawPayloadsResult' } },
  parameters: payloadsSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  async execute(context, { db, caller, organization, parameters }) {
    const { signWith, payloads, ...rest } = parameters
    const digests = await hashPayloads(
      caller,
      payloads.map((payload) => ({ ...rest, payload })),
    )
    const signer = { orgId: organization.id, signWith }
    return withSigningKey(db, context.keyEncryption, signer, async (sign) => {
      const pause = createPause()
      const signatures = []
      for (const digest of digests) {
        signatures.push(sign(digest))
        await pause()
      }
      return { signatures }
    })
  },
})

type Payload = Omit<z.output<typeof payloadSchema>, 'signWith'>

const schedule = createScheduler({ ...hashingShares, waitMs: turnWaitMs, refuse: tooManyAtOnce })

/** Hashes the payloads of one request. Large ones are queued across requests, small ones hashed at once. */
async function hashPayloads(caller: Caller, payloads: readonly Payload[]): Promise<Uint8Array[]> {
  const hash = async () => {
    const budget = { ...typedDataBounds }
    const digests: Uint8Array[] = []
    for (const payload of payloads) digests.push(await hashPayload(payload, budget))
    return digests
  }
  const length = payloads.reduce((sum, { payload }) => sum + payload.length, 0)
  if (length <= largePayloadLength) return hash()
  return schedule({ group: caller.rootOrgId, member: caller.orgId }, hash)
}

/**
 * Returns the 32 bytes to sign (custody protocol § 2.6). Typed data (EIP-712) and authorizations (EIP-7702) define
 * their own hash, so they accept no other.
 *
 * @throws `REQUEST_INVALID`.
 */
async function hashPayload({ encoding, hashFunction, payload }: Payload, budget: HashingBudget): Promise<Uint8Array> {
  if (hashFunction === 'HASH_FUNCTION_NOT_APPLICABLE')
    throw invalid('HASH_FUNCTION_NOT_APPLICABLE is for Ed25519. This key is on secp256k1: name a hash function.')
  if (encoding === 'PAYLOAD_ENCODING_EIP712' || encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION') {
    if (hashFunction !== 'HASH_FUNCTION_NO_OP')
      throw invalid(`${encoding} has a hash of its own. Send HASH_FUNCTION_NO_OP with it.`)
    return encoding === 'PAYLOAD_ENCODING_EIP712' ? hashTypedDataJson(payload, budget) : hashAuthorizationJson(payload)
  }
  const bytes = encoding === 'PAYLOAD_ENCODING_TEXT_UTF8' ? Buffer.from(payload, 'utf8') : decodeHex(payload)
  switch (hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      return createHash('sha256').update(bytes).digest()
    case 'HASH_FUNCTION_KECCAK256':
      return keccak_256(bytes)
    case 'HASH_FUNCTION_NO_OP':
      if (bytes.length === 32) return bytes
      throw invalid('With HASH_FUNCTION_NO_OP the payload must be a digest of 32 bytes.')
  }
}

function decodeHex(payload: string): Uint8Array {
  const digits = payload.startsWith('0x') ? payload.slice(2) : payload
  if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return Buffer.from(digits, 'hex')
  throw invalid('The payload is not hex. Encode it, with or without 0x.')
}

const typedDataSchema = z.object({
  domain: z.record(z.string(), z.unknown()).optional(),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
})

async function hashTypedDataJson(payload: string, budget: HashingBudget): Promise<Uint8Array> {
  const { domain = {}, ...rest } = validate(typedDataSchema, readJson(payload), 'typed data')
  try {
    return hexToBytes(await hashTypedDataFairly({ domain, ...rest }, budget))
  } catch (cause) {
    if (cause instanceof ServerError) throw cause
    throw invalid('The typed data cannot be hashed: its message or domain does not fit its types (EIP-712).', cause)
  }
}

const quantitySchema = z.int().min(0)
const authorizationSchema = z.strictObject({ address: addressSchema, chainId: quantitySchema, nonce: quantitySchema })

function hashAuthorizationJson(payload: string): Uint8Array {
  const { address, chainId, nonce } = validate(authorizationSchema, readJson(payload), 'authorization')
  return hexToBytes(hashAuthorization({ address: address as `0x${string}`, chainId, nonce }))
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
