import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { UserTable } from '../../platform/database/organizationTables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'
import { emailTaken, releaseEmail, writeEmail } from './userEmail.ts'

/**
 * Returns a user of an organization, after checking the row's MAC.
 * @throws `NOT_FOUND`.
 */
export async function findUser(
  context: Pick<CustodyContext, 'macKey' | 'logger'>,
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<Selectable<UserTable>> {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (row && isTrusted(context, 'users', row)) return row
  throw custodyError('NOT_FOUND', 'No user with this id in this organization.')
}

/** Returns the address to which a user's confirmations go; null without one. A claimed address may be a stranger's. */
export function provenAddress({ email, email_claimed }: Pick<Selectable<UserTable>, 'email' | 'email_claimed'>) {
  return email_claimed ? null : email
}

export declare namespace insertUser {
  type Parameters = {
    orgId: string
    /** Null for the user of a parent organization. */
    parentOrgId: string | null
    name: string
    email?: string | null | undefined
  }
}

/**
 * Inserts a user under custody's MAC and returns their id. An e-mail address can be used once within a parent. Removes
 * another user's unproven claim to the address.
 *
 * @throws `INVALID_EMAIL`.
 */
export async function insertUser(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'now'>,
  db: Db,
  parameters: insertUser.Parameters,
): Promise<string> {
  const { orgId, parentOrgId, name, email = null } = parameters
  if (email !== null) await releaseEmail(context, db, { parentOrgId, email })
  const unproven = { email, email_verified_at: null, email_claimed: false, factor_since: null }
  const row = { id: randomUUID(), org_id: orgId, parent_org_id: parentOrgId, ...unproven }
  const inserted = await db
    .insertInto('users')
    .values({ ...row, name, mac: mac(context.macKey, 'users', row) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw emailTaken()
}

export declare namespace updateUser {
  type Parameters = {
    orgId: string
    userId: string
    name?: string | undefined
    email?: string | null | undefined
    /** Whether the owner of the new address has confirmed it. @default false */
    isProven?: boolean
  }
}

/**
 * Changes a user's name or e-mail address; `email: null` removes the address. An unproven new address is a claim until
 * an e-mail to it has been used.
 *
 * @throws `NOT_FOUND`; `INVALID_EMAIL` when another user within the parent has proven the address.
 */
export async function updateUser(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'now'>,
  db: Db,
  parameters: updateUser.Parameters,
): Promise<void> {
  const { orgId, userId, name } = parameters
  const user = await findUser(context, db, { orgId, userId })
  if (name !== undefined)
    await db.updateTable('users').set({ name }).where('id', '=', userId).where('org_id', '=', orgId).execute()
  const { email, isProven = false } = parameters
  if (email === undefined || (email === user.email && !(isProven && user.email_claimed))) return
  if (email !== null) await releaseEmail(context, db, { parentOrgId: user.parent_org_id, email, except: userId })
  try {
    // Preserves the time of the first proof. With a later time, the change would count as a sign-up, whose first
    // passkey needs no e-mail.
    const email_verified_at = isProven && email !== null ? (user.email_verified_at ?? new Date(context.now())) : null
    await writeEmail(context, db, { user, email, email_verified_at, email_claimed: email !== null && !isProven })
  } catch (error) {
    // SQLSTATE 23505: another user took the address concurrently.
    throw (error as { code?: unknown } | null)?.code === '23505' ? emailTaken() : error
  }
}
