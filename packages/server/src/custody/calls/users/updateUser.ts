import { z } from 'zod'
import { revokeMailedAccess } from '../../credentials/revokeCredentials.ts'
import { defineActivity } from '../../definitions.ts'
import { enqueueNotice } from '../../mails.ts'
import { findUser, updateUser as writeUser } from '../../organizations/user.ts'
import { assertOwnSubOrganization, assertSelf } from '../../permissions.ts'
import { emailSchema, idSchema, nameSchema } from '../../schemas.ts'
import { assertSignInRemains } from './ownCredentials.ts'

/**
 * `update_user`: a user changes their own name or e-mail address (custody protocol § 2.7). Changing the address ends
 * the sessions and codes that came by mail, but not the caller's own session, and is reported to the old address. The
 * new one is only a claim, which the address's owner overrides, until a session that was mailed to it is used: so the
 * user needs another way to sign in.
 */
export const updateUser = defineActivity({
  types: { ACTIVITY_TYPE_UPDATE_USER: { intent: 'updateUserIntent', result: 'updateUserResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    userName: nameSchema.optional(),
    /** Empty: the address is removed. */
    userEmail: z.union([z.literal(''), emailSchema], 'Must provide a valid email.').optional(),
    userTagIds: z.array(z.string()).max(0, 'are not supported by this server; leave them out').optional(),
    userPhoneNumber: z.literal('', 'is not supported by this server; leave it out').optional(),
  }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  async confirmation(context, { db, caller, organization, parameters: { userEmail } }) {
    if (userEmail === undefined) return undefined
    const user = await findUser(context, db, { orgId: organization.id, userId: caller.userId })
    return userEmail === (user.email ?? '')
      ? undefined
      : { action: 'change-email', detail: userEmail === '' ? 'The address is removed.' : userEmail }
  },
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, userName: name, userEmail } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const email = userEmail === '' ? null : userEmail
    const before = await findUser(context, db, { orgId, userId })
    const isMoved = email !== undefined && email !== before.email
    // The notice goes to the stored address, so it is queued before that is replaced.
    if (isMoved) await enqueueNotice(context, db, { kind: 'email-changed', organizationId: orgId, userId, activityId })
    await writeUser(context, db, { orgId, userId, name, email })
    if (!isMoved) return { userId }
    await revokeMailedAccess(context, db, { userId, keep: caller.credentialId })
    await assertSignInRemains(db, userId)
    return { userId }
  },
})

/** `update_user_name`: the part of {@link updateUser} that changes no way to sign in (custody protocol § 2.7). */
export const updateUserName = defineActivity({
  types: { ACTIVITY_TYPE_UPDATE_USER_NAME: { intent: 'updateUserNameIntent', result: 'updateUserNameResult' } },
  parameters: z.strictObject({ userId: idSchema, userName: nameSchema }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  async execute(context, { db, caller, organization, parameters: { userId, userName: name } }) {
    assertSelf(caller, userId)
    await writeUser(context, db, { orgId: organization.id, userId, name })
    return { userId }
  },
})
