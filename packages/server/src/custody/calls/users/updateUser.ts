import { z } from 'zod'
import type { Db } from '../../../platform/database/openStore.ts'
import { type AddressProof, proofRefused, readAddressProof } from '../../credentials/addressProofs.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { revokeMailedAccess } from '../../credentials/revokeCredentials.ts'
import { usedCodeMs } from '../../custodyLimits.ts'
import { emailSchema, idSchema, nameSchema } from '../../custodySchemas.ts'
import { takeCustodyToken } from '../../custodyTokens.ts'
import { type ActivityDefinition, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueNotice } from '../../enqueueMail.ts'
import { takesCodes } from '../../organizations/trustedProjects.ts'
import { findUser, updateUser as writeUser } from '../../organizations/user.ts'
import { assertOwnSubOrganization, assertSelf } from '../../permissions.ts'
import { assertSignInRemains } from './ownCredentials.ts'

/** An empty string removes the address. */
const newEmailSchema = z.union([z.literal(''), emailSchema], 'Must provide a valid email.')

type Change = {
  userId: string
  userName?: string | undefined
  userEmail?: string | undefined
  /** Token of `verify_otp` that proves the new address. */
  verificationToken?: string | undefined
}

/** Rules for a new name or address, shared by all calls that set one. */
const change = {
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  async confirmation(context, { db, caller, organization, parameters: { userEmail } }) {
    if (userEmail === undefined) return undefined
    const user = await findUser(context, db, { orgId: organization.id, userId: caller.userId })
    return userEmail === (user.email ?? '')
      ? undefined
      : { action: 'change-email', detail: userEmail === '' ? 'none, the current one is removed' : userEmail }
  },
  async newAddress(context, { db, caller, organization, parameters }) {
    const { userEmail } = parameters
    if (!userEmail || readProof(context, { caller, parameters })) return undefined
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
    const isProven = isAgreed || (await useProof(context, db, { caller, parameters }))
    // The notice goes to the stored address, so it is queued before the update.
    if (isMoved) await enqueueNotice(context, db, { kind: 'email-changed', organizationId: orgId, userId, activityId })
    await writeUser(context, db, { orgId, userId, name, email, isProven })
    if (!isMoved) return { userId }
    await revokeMailedAccess(context, db, { orgId, userId, keep: caller.credentialId })
    await assertSignInRemains(db, { orgId, userId })
    return { userId }
  },
} satisfies Omit<ActivityDefinition<Change>, 'types' | 'parameters'>

type Asked = { caller: Caller; parameters: Change }

/**
 * Returns the address proof in a request's token; undefined if there is no token. Refuses tokens in projects where
 * codes prove no address.
 */
function readProof(context: CustodyContext, { caller, parameters }: Asked): AddressProof | undefined {
  const { userEmail: email = '', verificationToken: token } = parameters
  if (!token) return undefined
  const { rootOrgId, at } = caller
  if (!takesCodes(context, rootOrgId)) throw proofRefused('is of no use here: a code proves no address to this server')
  return readAddressProof(context, { token, email, rootOrgId, at })
}

/** Uses up a request's proof. A rollback restores it. */
async function useProof(context: CustodyContext, db: Db, asked: Asked): Promise<boolean> {
  const proof = readProof(context, asked)
  if (!proof) return false
  const used = { key: `address proof used ${proof.jti}`, limit: 1, windowMs: usedCodeMs }
  if ((await takeCustodyToken(db, used)).ok) return true
  throw proofRefused('was used already')
}

/**
 * `update_user`: a user changes their own name or e-mail address (custody protocol § 2.7). A new address takes effect
 * once its owner agrees by e-mail, or immediately if a code (`verify_otp`) has already proved it. The change is
 * reported to the old address and ends the sessions and codes that were sent by e-mail, except the caller's own
 * session. In a project without confirmations, the new address is only a claim until its owner uses a session e-mailed
 * to it. The owner can override the claim, so the user needs another sign-in method.
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

/** `update_user_email`: the address part of {@link updateUser} (custody protocol § 2.7). */
export const updateUserEmail = defineActivity({
  types: { ACTIVITY_TYPE_UPDATE_USER_EMAIL: { intent: 'updateUserEmailIntent', result: 'updateUserEmailResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    userEmail: newEmailSchema,
    verificationToken: z.string().max(2048).optional(),
  }),
  ...change,
})

/**
 * `update_user_name`: the name part of {@link updateUser}, which affects no sign-in method (custody protocol § 2.7).
 */
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
