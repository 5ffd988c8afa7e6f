import { z } from 'zod'
import { createReadOnlySession as createToken } from '../../credentials/readOnlySession.ts'
import { defineActivity } from '../../definitions.ts'
import { findUser } from '../../organizations/user.ts'
import { assertOwnSubOrganization } from '../../permissions.ts'

/**
 * `create_read_only_session`: creates a token that replaces a stamp for reads (custody protocol § 2.7). The token has
 * no more access than the credential that creates it and lasts at most 15 minutes, so it needs no confirmation.
 */
export const createReadOnlySession = defineActivity({
  types: {
    ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: {
      intent: 'createReadOnlySessionIntent',
      result: 'createReadOnlySessionResult',
    },
  },
  parameters: z.strictObject({}),
  authorize: assertOwnSubOrganization,
  quorum: false,
  isResultTransient: true,
  async execute(context, { db, activityId, caller, organization }) {
    const { userId } = caller
    const user = await findUser(context, db, { orgId: organization.id, userId })
    const { session, expirySeconds } = createToken(context, { activityId, caller })
    return {
      organizationId: organization.id,
      organizationName: organization.name,
      userId,
      username: user.name,
      session,
      sessionExpiry: String(expirySeconds),
    }
  },
})
