import { z } from 'zod'
import { maxPasskeys } from '../credentials/addPasskey.ts'
import { defineActivity } from '../definitions.ts'
import { assertOwnSubOrganization, assertSelf } from '../permissions.ts'
import { authenticatorSchema } from '../schemas.ts'
import { registerPasskeys } from './registerPasskeys.ts'

const parametersSchema = z.strictObject({
  userId: z.uuid(),
  authenticators: z.array(authenticatorSchema).min(1).max(maxPasskeys),
})

type Parameters = z.output<typeof parametersSchema>

/** `create_authenticators`, version 2: a user adds passkeys to their own credentials (custody protocol § 2.6). */
export const createAuthenticators = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: {
      intent: 'createAuthenticatorsIntentV2',
      result: 'createAuthenticatorsResult',
    },
  },
  parameters: parametersSchema,
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  notice: 'passkey-added',
  async execute(context, { db, caller, organization, parameters }) {
    assertSelf(caller, parameters.userId)
    const { authenticators } = parameters
    const request = { userId: caller.userId, orgId: organization.id, rootOrgId: caller.rootOrgId, authenticators }
    return { authenticatorIds: await registerPasskeys(context, db, request) }
  },
})
