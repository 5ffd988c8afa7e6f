import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { signDigest } from '../wallets/signDigest.ts'
import { withSigningKey } from '../wallets/withSigningKey.ts'
import { payloadDigest, payloadMembers } from './payloadDigest.ts'

const parametersSchema = z.strictObject({ ...payloadMembers, payloads: z.array(z.string()).min(1).max(100) })

type Parameters = z.output<typeof parametersSchema>

/** `sign_raw_payloads`: several payloads with one key, all of them or none (custody protocol § 2.6). */
export const signRawPayloads = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: { intent: 'signRawPayloadsIntent', result: 'signRawPayloadsResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  isPure: true,
  async execute(context, { db, organization, parameters }) {
    const { signWith, payloads, ...rest } = parameters
    const digests = payloads.map((payload) => payloadDigest({ ...rest, payload }))
    const signer = { orgId: organization.id, signWith }
    return withSigningKey(db, context.keyEncryption, signer, (key) => ({
      signatures: digests.map((digest) => signDigest(digest, key)),
    }))
  },
})
