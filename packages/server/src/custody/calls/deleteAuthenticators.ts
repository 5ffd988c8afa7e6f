import { z } from 'zod'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import { defineActivity } from '../definitions.ts'
import { assertOwnSubOrganization, assertSelf } from '../permissions.ts'
import { idSchema } from '../schemas.ts'
import { assertWayIn } from './assertWayIn.ts'
import { findOwnCredentials } from './findOwnCredentials.ts'

const parametersSchema = z.strictObject({ userId: idSchema, authenticatorIds: z.array(idSchema).min(1).max(10) })

type Parameters = z.output<typeof parametersSchema>

/**
 * `delete_authenticators`: a user removes passkeys of their own for good (custody protocol § 2.7), but not the last way
 * in.
 */
export const deleteAuthenticators = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_DELETE_AUTHENTICATORS: {
      intent: 'deleteAuthenticatorsIntent',
      result: 'deleteAuthenticatorsResult',
    },
  },
  parameters: parametersSchema,
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  notice: 'credential-removed',
  async execute(context, { db, caller, parameters }) {
    const { userId, authenticatorIds: ids } = parameters
    assertSelf(caller, userId)
    await findOwnCredentials(db, { userId, kind: 'passkey', ids })
    await revokeCredentials(context, db, { userId, ids })
    await assertWayIn(db, userId)
    return { authenticatorIds: ids }
  },
})
