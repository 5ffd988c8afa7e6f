import { type Selectable, type SqlBool, sql } from 'kysely'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { UserTable } from '../../platform/database/organizationTables.ts'
import type { ServerError } from '../../platform/errors/ServerError.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { revokeMailedAccess } from '../credentials/revokeCredentials.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { type Covered, isGenuine, isTrusted, mac } from '../macs.ts'

type Context = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

/** Marks a user's address as proven on use of a session key that was only e-mailed to it. */
export async function proveEmail(
  context: Context,
  db: Db,
  caller: Pick<Caller, 'orgId' | 'userId' | 'credentialId' | 'emailSession'>,
): Promise<void> {
  if (!caller.emailSession) return
  if (!db.isTransaction) return inTransaction(db, (inner) => proveEmail(context, inner, caller))
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', caller.userId)
    .where('org_id', '=', caller.orgId)
    .where('email', 'is not', null)
    .where('email_verified_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!user || !isTrusted(context, 'users', user)) return
  // The address may have changed since the stamp was verified; then this key no longer proves it.
  const key = await db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', caller.credentialId)
    .where('org_id', '=', caller.orgId)
    .where('email_session', '=', true)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !isGenuine(context.macKey, 'credentials', key)) return
  const email_verified_at = new Date(context.now())
  await writeEmail(context, db, { user, email: user.email, email_verified_at, email_claimed: false })
}

export async function proveUserEmail(
  context: Context,
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('org_id', '=', orgId)
    .forUpdate()
    .executeTakeFirst()
  if (!user?.email || user.email_verified_at || !isTrusted(context, 'users', user)) return
  const email_verified_at = new Date(context.now())
  await writeEmail(context, db, { user, email: user.email, email_verified_at, email_claimed: false })
}

export declare namespace releaseEmail {
  type Parameters = {
    /** Null for users of parent organizations. */
    parentOrgId: string | null
    email: string
    /** Requesting user. */
    except?: string | undefined
  }
}

/**
 * Releases an address within a parent. A user who claimed the address without ever using an e-mail to it loses the
 * address: a claim must neither block the owner nor lead the owner into an organization that others can access. Proven
 * addresses are never released. Addresses of sign-ups that wait for their e-mail are not released either, if their
 * organization has no other sign-in method.
 *
 * @throws `INVALID_EMAIL`.
 */
export async function releaseEmail(
  context: Context,
  db: Db,
  { parentOrgId, email, except }: releaseEmail.Parameters,
): Promise<void> {
  const holder = await db
    .selectFrom('users')
    .selectAll()
    .where('parent_org_id', '=', parentOrgId)
    .where(sql<SqlBool>`lower(email) = lower(${email})`)
    .$if(except !== undefined, (query) => query.where('id', '!=', except ?? ''))
    .forUpdate()
    .executeTakeFirst()
  if (!holder) return
  if (!(await isUnproven(context, db, holder))) throw emailTaken()
  await writeEmail(context, db, { user: holder, email: null, email_verified_at: null, email_claimed: false })
  await revokeMailedAccess(context, db, { orgId: holder.org_id, userId: holder.id })
}

export function emailTaken(): ServerError {
  return custodyError('INVALID_EMAIL', 'A sub-organization with this email address already exists. Use that one.')
}

/**
 * Returns whether an address is unproven, and either the user entered it or the organization has other sign-in methods.
 */
async function isUnproven(context: Context, db: Db, holder: Selectable<UserTable>): Promise<boolean> {
  if (holder.email_verified_at !== null || !isTrusted(context, 'users', holder)) return false
  return holder.email_claimed || (await findSignInMethod(context, db, holder)) !== undefined
}

/** Describes a sign-in method, other than the user's e-mail, of the user's organization; undefined if there is none. */
export async function findSignInMethod(
  context: Pick<CustodyContext, 'now'>,
  db: Db,
  user: Pick<Selectable<UserTable>, 'id' | 'org_id'>,
): Promise<string | undefined> {
  const credential = await db
    .selectFrom('credentials')
    .select(['kind', 'name', 'public_key'])
    .where('org_id', '=', user.org_id)
    .where('email_session', '=', false)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date(context.now()))]))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  if (credential?.kind === 'passkey') return `the passkey ${JSON.stringify(credential.name)}`
  if (credential) return `the API key ${JSON.stringify(credential.name)} (${credential.public_key})`
  const provider = await db
    .selectFrom('oauth_providers')
    .select('name')
    .where('org_id', '=', user.org_id)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (provider) return `the identity provider ${JSON.stringify(provider.name)}`
  const others = db.selectFrom('users').select('name').where('org_id', '=', user.org_id).where('id', '!=', user.id)
  const other = await others.orderBy('created_at').limit(1).executeTakeFirst()
  return other && `the user ${JSON.stringify(other.name)}`
}

export declare namespace writeEmail {
  type Parameters = Pick<Covered<'users'>, 'email' | 'email_verified_at' | 'email_claimed'> & {
    user: Selectable<UserTable>
  }
}

/** Writes a user's address and its proof under custody's MAC. The caller has checked that the row is genuine. */
export async function writeEmail(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  db: Db,
  { user, ...email }: writeEmail.Parameters,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...email, mac: mac(macKey, 'users', { ...user, ...email }) })
    .where('id', '=', user.id)
    .where('org_id', '=', user.org_id)
    .execute()
}
