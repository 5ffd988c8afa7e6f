import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { enqueueNotice } from '../mails.ts'
import { assertOwnSubOrganization, assertSelf } from '../permissions.ts'
import { apiKeysSchema, idSchema } from '../schemas.ts'
import { registerApiKeys } from './registerApiKeys.ts'

const parametersSchema = z.strictObject({ userId: idSchema, apiKeys: apiKeysSchema.min(1) })

type Parameters = z.output<typeof parametersSchema>

/**
 * `create_api_keys`: a user adds API keys to their own credentials (custody protocol § 2.7). One with an end is a session
 * of the user's, no fresher than the credential that asks for it.
 */
export const createApiKeys = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_CREATE_API_KEYS_V2: { intent: 'createApiKeysIntentV2', result: 'createApiKeysResult' },
    ACTIVITY_TYPE_CREATE_API_KEYS: { intent: 'createApiKeysIntent', result: 'createApiKeysResult' },
  },
  parameters: parametersSchema,
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  async execute(context, { db, activityId, caller, organization, parameters }) {
    assertSelf(caller, parameters.userId)
    const { userId, apiKeys } = parameters
    const organizationId = organization.id
    const apiKeyIds = await registerApiKeys(context, db, { userId, orgId: organizationId, apiKeys, by: caller })
    // A session tells of itself by the mail or passkey it began with.
    if (apiKeys.some((key) => key.expirationSeconds === undefined))
      await enqueueNotice(context, db, { kind: 'key-added', organizationId, userId, activityId })
    return { apiKeyIds }
  },
})
