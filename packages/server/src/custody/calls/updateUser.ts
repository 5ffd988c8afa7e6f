import { z } from 'zod'
import { forgetMails } from '../credentials/forgetMails.ts'
import { defineActivity } from '../definitions.ts'
import { enqueueNotice } from '../mails.ts'
import { findUser } from '../organizations/findUser.ts'
import { updateUser as writeUser } from '../organizations/updateUser.ts'
import { assertOwnSubOrganization, assertSelf } from '../permissions.ts'
import { emailSchema, idSchema, nameSchema } from '../schemas.ts'
import { assertWayIn } from './assertWayIn.ts'

const parametersSchema = z.strictObject({
  userId: idSchema,
  userName: nameSchema.optional(),
  /** Empty: the address is removed. */
  userEmail: z.union([z.literal(''), emailSchema], 'Must provide a valid email.').optional(),
  userTagIds: z.array(z.string()).max(0, 'are not supported by this server; leave them out').optional(),
  userPhoneNumber: z.literal('', 'is not supported by this server; leave it out').optional(),
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `update_user`: a user changes their own name or e-mail (custody protocol § 2.7). With the address go the sessions and
 * codes that came by mail, but not the session that asks; the old address is told. The new one is only a claim, which
 * gives way to its owner, until a session that was mailed to it is used: so it takes another way in.
 */
export const updateUser = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_UPDATE_USER: { intent: 'updateUserIntent', result: 'updateUserResult' } },
  parameters: parametersSchema,
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, userName: name, userEmail } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const email = userEmail === '' ? null : userEmail
    const before = await findUser(context, db, { orgId, userId })
    const isMoved = email !== undefined && email !== before.email
    // The notice goes to the address that is stored, so before it is replaced.
    if (isMoved) await enqueueNotice(context, db, { kind: 'email-changed', organizationId: orgId, userId, activityId })
    await writeUser(context, db, { orgId, userId, name, email })
    if (!isMoved) return { userId }
    await forgetMails(context, db, { userId, keep: caller.credentialId })
    await assertWayIn(db, userId)
    return { userId }
  },
})
