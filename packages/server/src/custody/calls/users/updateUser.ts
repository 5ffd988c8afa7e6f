import { z } from 'zod'
import { revokeMailedAccess } from '../../credentials/revokeCredentials.ts'
import { type ActivityDefinition, defineActivity } from '../../definitions.ts'
import { enqueueNotice } from '../../mails.ts'
import { findUser, updateUser as writeUser } from '../../organizations/user.ts'
import { assertOwnSubOrganization, assertSelf } from '../../permissions.ts'
import { emailSchema, idSchema, nameSchema } from '../../schemas.ts'
import { assertSignInRemains } from './ownCredentials.ts'

const noToken = 'comes of verify_otp, which is not served; leave it out, and the owner of the address agrees by mail'
/** Empty: the address is removed. */
const newEmailSchema = z.union([z.literal(''), emailSchema], 'Must provide a valid email.')

type Change = { userId: string; userName?: string | undefined; userEmail?: string | undefined }

/** What holds for a new address, whichever call names it. */
const change = {
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
  async newAddress(context, { db, caller, organization, parameters: { userEmail } }) {
    if (!userEmail) return undefined
    const user = await findUser(context, db, { orgId: organization.id, userId: caller.userId })
    return userEmail === user.email && !user.email_claimed ? undefined : userEmail
  },
  async execute(context, { db, activityId, caller, organization, parameters, isAgreed = false }) {
    const { userId, userName: name, userEmail } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const email = userEmail === '' ? null : userEmail
    const before = await findUser(context, db, { orgId, userId })
    const isMoved = email !== undefined && email !== before.email
    // The notice goes to the stored address, so it is queued before that is replaced.
    if (isMoved) await enqueueNotice(context, db, { kind: 'email-changed', organizationId: orgId, userId, activityId })
    await writeUser(context, db, { orgId, userId, name, email, isProven: isAgreed })
    if (!isMoved) return { userId }
    await revokeMailedAccess(context, db, { orgId, userId, keep: caller.credentialId })
    await assertSignInRemains(db, { orgId, userId })
    return { userId }
  },
} satisfies Omit<ActivityDefinition<Change>, 'types' | 'parameters'>

/**
 * `update_user`: a user changes their own name or e-mail address (custody protocol § 2.7). Changing the address ends
 * the sessions and codes that came by mail, but not the caller's own session, and is reported to the old address. It
 * takes place once the owner of the new address has agreed, by a mail to it. Without confirmations the new one is only a
 * claim, which the address's owner overrides, until a session that was mailed to it is used: so the user needs another
 * way to sign in.
 */
export const updateUser = defineActivity({
  types: { ACTIVITY_TYPE_UPDATE_USER: { intent: 'updateUserIntent', result: 'updateUserResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    userName: nameSchema.optional(),
    userEmail: newEmailSchema.optional(),
    userTagIds: z.array(z.string()).max(0, 'are not supported by this server; leave them out').optional(),
    userPhoneNumber: z.literal('', 'is not supported by this server; leave it out').optional(),
  }),
  ...change,
})

/** `update_user_email`: the part of {@link updateUser} that is the address (custody protocol § 2.7). */
export const updateUserEmail = defineActivity({
  types: { ACTIVITY_TYPE_UPDATE_USER_EMAIL: { intent: 'updateUserEmailIntent', result: 'updateUserEmailResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    userEmail: newEmailSchema,
    verificationToken: z.literal('', noToken).optional(),
  }),
  ...change,
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
