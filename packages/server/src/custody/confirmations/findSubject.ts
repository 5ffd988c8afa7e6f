import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { UserTable } from '../../platform/database/organizationTables.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import { provenPasskeyMs, signUpMs } from '../custodyLimits.ts'
import type { ActivityDefinition, ActivityExecution, ConfirmationSubject } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { isConfirmedByMail, needsAddress } from '../organizations/trustedProjects.ts'
import { findUser, provenAddress } from '../organizations/user.ts'

/** `to` is the email's recipient: the user's own address, or a new address to verify. */
export type Asked = { kind: 'confirm' | 'prove'; subject: ConfirmationSubject; to: string }

/**
 * Returns what a user must confirm by e-mail. Returns undefined in four cases: confirmations are disabled in the
 * project; the passkey verified its user and was confirmed at least a day ago; the passkey is the first, right after a
 * sign-up by e-mail; or the user has no address and proves the request by a passkey.
 *
 * @throws `REQUEST_NOT_AUTHORIZED` for users without an address who did not use a passkey.
 */
export async function findSubject(
  context: CustodyContext,
  definition: ActivityDefinition,
  execution: ActivityExecution<unknown>,
): Promise<Asked | undefined> {
  const { db, caller, organization } = execution
  if (!definition.confirmation || organization.parentId === null) return undefined
  if (!isConfirmedByMail(context, caller.rootOrgId)) return undefined
  const subject = await definition.confirmation(context, execution)
  if (!subject || (subject.isSignIn && caller.kind === 'passkey')) return undefined
  const user = await findUser(context, db, { orgId: organization.id, userId: caller.userId })
  const to = provenAddress(user)
  if (to === null) return assertPasskey(context, caller, subject)
  if (subject.isAlwaysAsked) return { kind: 'confirm', subject, to }
  if (isProven(caller)) return undefined
  if (subject.isPasskey && caller.emailSession && (await isSigningUp(db, caller, user))) return undefined
  return { kind: 'confirm', subject, to }
}

/**
 * Returns a new address whose owner must first agree by e-mail; undefined if the request sets no new address or the
 * project has confirmations disabled. Without confirmations the new address stays unverified, as with Turnkey.
 */
export async function findNewAddress(
  context: CustodyContext,
  definition: ActivityDefinition,
  execution: ActivityExecution<unknown>,
): Promise<string | undefined> {
  const { caller, organization } = execution
  if (organization.parentId === null || !isConfirmedByMail(context, caller.rootOrgId)) return undefined
  return definition.newAddress?.(context, execution)
}

export const toProof = (to: string): Asked => ({ kind: 'prove', subject: { action: 'change-email' }, to })

function assertPasskey(
  context: CustodyContext,
  caller: Caller,
  { action, isAlwaysAsked }: ConfirmationSubject,
): undefined {
  if (action !== 'change-email' && needsAddress(context, caller.rootOrgId))
    throw custodyError('REQUEST_NOT_AUTHORIZED', 'Add an email address first, and sign in by email once.')
  if (caller.kind === 'passkey' && caller.userVerified) return undefined
  throw custodyError(
    isAlwaysAsked ? 'CONFIRMATION_NEEDED' : 'REQUEST_NOT_AUTHORIZED',
    'Use your passkey with user verification. The account has no verified email address to confirm the request with.',
  )
}

/**
 * Returns whether the stamp replaces a confirmation. A script in the page could have added a passkey that was never
 * confirmed by email.
 */
function isProven({ kind, userVerified, confirmedAt, at }: Caller): boolean {
  return (
    kind === 'passkey' &&
    userVerified &&
    confirmedAt !== null &&
    at.getTime() - confirmedAt.getTime() >= provenPasskeyMs
  )
}

async function isSigningUp(
  db: Db,
  { userId, at }: Caller,
  { email_verified_at }: Pick<Selectable<UserTable>, 'email_verified_at'>,
): Promise<boolean> {
  if (email_verified_at && at.getTime() - email_verified_at.getTime() > signUpMs) return false
  const passkey = await db
    .selectFrom('credentials')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'passkey')
    .limit(1)
    .executeTakeFirst()
  return passkey === undefined
}
