import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { z } from 'zod'
import { defineActivity } from '../activities/definition.ts'
import { custodyError } from '../custodyError.ts'
import { signWithAddress } from '../wallets/signWithAddress.ts'
import { assertOwnOrganization } from './permissions.ts'
import { addressSchema } from './schemas.ts'

const parametersSchema = z.strictObject({
  signWith: addressSchema,
  payload: z.string(),
  encoding: z.enum(['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8']),
  hashFunction: z.enum(['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_SHA256', 'HASH_FUNCTION_KECCAK256']),
})

type Parameters = z.output<typeof parametersSchema>

/** `sign_raw_payload`, version 2: by a user of the organization alone (custody protocol § 2.6). */
export const signRawPayload = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { intent: 'signRawPayloadIntentV2', result: 'signRawPayloadResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  execute(context, { db, organization, parameters }) {
    return signWithAddress(db, context.keyEncryption, {
      orgId: organization.id,
      address: parameters.signWith,
      digest: payloadDigest(parameters),
    })
  },
})

/**
 * The 32 bytes to sign.
 *
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export function payloadDigest(parameters: Parameters): Uint8Array {
  const payload = decodePayload(parameters)
  switch (parameters.hashFunction) {
    case 'HASH_FUNCTION_SHA256':
      return createHash('sha256').update(payload).digest()
    case 'HASH_FUNCTION_KECCAK256':
      return keccak_256(payload)
    case 'HASH_FUNCTION_NO_OP':
      if (payload.length === 32) return payload
      throw custodyError('REQUEST_INVALID', 'With HASH_FUNCTION_NO_OP the payload must be a digest of 32 bytes.')
  }
}

function decodePayload({ encoding, payload }: Parameters): Uint8Array {
  if (encoding === 'PAYLOAD_ENCODING_TEXT_UTF8') return Buffer.from(payload, 'utf8')
  const digits = payload.startsWith('0x') ? payload.slice(2) : payload
  if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return Buffer.from(digits, 'hex')
  throw custodyError('REQUEST_INVALID', 'The payload is not hex. Encode it, with or without 0x.')
}
