import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { signDigest } from '../wallets/signDigest.ts'
import { withSigningKey } from '../wallets/withSigningKey.ts'
import { payloadDigest, payloadMembers } from './payloadDigest.ts'

const parametersSchema = z.strictObject({ ...payloadMembers, payload: z.string() })

type Parameters = z.output<typeof parametersSchema>

/** `sign_raw_payload`, version 2: by a user of the organization alone (custody protocol § 2.6). */
export const signRawPayload = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { intent: 'signRawPayloadIntentV2', result: 'signRawPayloadResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  execute(context, { db, organization, parameters }) {
    const digest = payloadDigest(parameters)
    const signer = { orgId: organization.id, signWith: parameters.signWith }
    return withSigningKey(db, context.keyEncryption, signer, (key) => signDigest(digest, key))
  },
})
