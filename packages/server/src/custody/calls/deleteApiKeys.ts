import { z } from 'zod'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import { defineActivity } from '../definitions.ts'
import { enqueueNotice } from '../mails.ts'
import { assertOwnSubOrganization, assertSelf } from '../permissions.ts'
import { idSchema } from '../schemas.ts'
import { assertStepUp } from '../stepUp.ts'
import { assertWayIn } from './assertWayIn.ts'
import { findOwnCredentials } from './findOwnCredentials.ts'

const parametersSchema = z.strictObject({ userId: idSchema, apiKeyIds: z.array(idSchema).min(1).max(20) })

type Parameters = z.output<typeof parametersSchema>

/**
 * `delete_api_keys`: a user removes API keys of their own for good (custody protocol § 2.7). To end sessions, the own one
 * or all, is always allowed: it only takes rights away. A key without an end is removed only by a user who has just
 * proven to be there, and never as the last way in.
 */
export const deleteApiKeys = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_DELETE_API_KEYS: { intent: 'deleteApiKeysIntent', result: 'deleteApiKeysResult' } },
  parameters: parametersSchema,
  authorize: assertOwnSubOrganization,
  quorum: false,
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, apiKeyIds: ids } = parameters
    assertSelf(caller, userId)
    const keys = await findOwnCredentials(db, { userId, kind: 'api_key', ids })
    const isLogOut = keys.every((key) => key.expires_at !== null)
    if (!isLogOut) assertStepUp(context, caller)
    await revokeCredentials(context, db, { userId, ids })
    if (isLogOut) return { apiKeyIds: ids }
    await assertWayIn(db, userId)
    const organizationId = organization.id
    await enqueueNotice(context, db, { kind: 'credential-removed', organizationId, userId, activityId })
    return { apiKeyIds: ids }
  },
})
