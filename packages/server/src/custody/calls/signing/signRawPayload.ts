import { z } from 'zod'
import { createPause } from '../../../platform/crypto/createPause.ts'
import { signWithSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { assertOwnOrganization } from '../../permissions.ts'
import { withSigningKey } from '../../wallets/withSigningKey.ts'
import { createSigningEvaluator } from './evaluateSigning.ts'
import { hashFunctions, payloadEncodings, readPayloads } from './readPayload.ts'

const common = { signWith: signWithSchema, encoding: z.enum(payloadEncodings), hashFunction: z.enum(hashFunctions) }
const payloadSchema = z.strictObject({ ...common, payload: z.string() })
const payloadsSchema = z.strictObject({ ...common, payloads: z.array(z.string()).min(1).max(100) })

const payload = createSigningEvaluator<z.output<typeof payloadSchema>>(({ caller, parameters }) =>
  readPayloads(caller, [parameters]),
)
const payloads = createSigningEvaluator<z.output<typeof payloadsSchema>>(({ caller, parameters }) => {
  const { payloads: texts, ...rest } = parameters
  return readPayloads(
    caller,
    texts.map((text) => ({ ...rest, payload: text })),
  )
})

/** `sign_raw_payload`, version 2: signs one payload (custody protocol § 2.6). */
export const signRawPayload = defineActivity({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { intent: 'signRawPayloadIntentV2', result: 'signRawPayloadResult' } },
  parameters: payloadSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  forScopedKeys: true,
  readLoggedIntent: payload.readLoggedIntent,
  isCounted: payload.isCounted,
  confirmation: payload.toReview,
  async execute(context, execution) {
    const { db, organization, parameters } = execution
    const [digest = new Uint8Array()] = await payload.takeDigests(context, execution)
    const signer = { orgId: organization.id, signWith: parameters.signWith }
    return withSigningKey(db, context.keyEncryption, signer, (sign) => sign(digest))
  },
})

/** `sign_raw_payloads`: signs several payloads with one key, either all of them or none (custody protocol § 2.6). */
export const signRawPayloads = defineActivity({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: { intent: 'signRawPayloadsIntent', result: 'signRawPayloadsResult' } },
  parameters: payloadsSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  forScopedKeys: true,
  readLoggedIntent: payloads.readLoggedIntent,
  isCounted: payloads.isCounted,
  confirmation: payloads.toReview,
  async execute(context, execution) {
    const { db, organization, parameters } = execution
    const digests = await payloads.takeDigests(context, execution)
    const signer = { orgId: organization.id, signWith: parameters.signWith }
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
