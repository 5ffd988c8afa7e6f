import { sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'
import { toStoredEmail } from '../platform/http/normalizeEmail.ts'

export declare namespace findUserByEmail {
  type Parameters = { parentOrgId: string; email: string }
  /** `verified`: the user has once signed in with a link from that mailbox. */
  type ReturnType = { userId: string; orgId: string; email: string; verified: boolean } | null
}

/** The user with an e-mail among the sub-organizations of a parent, compared without case, or null. */
export async function findUserByEmail(
  db: Db,
  parameters: findUserByEmail.Parameters,
): Promise<findUserByEmail.ReturnType> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'org_id', 'email', 'email_verified_at'])
    .where('parent_org_id', '=', parameters.parentOrgId)
    .where(sql<string>`lower(email)`, '=', toStoredEmail(parameters.email).toLowerCase())
    .executeTakeFirst()
  if (!row?.email) return null
  return { userId: row.id, orgId: row.org_id, email: row.email, verified: row.email_verified_at !== null }
}

export declare namespace findUserProfile {
  type Parameters = {
    userId: string
    orgId: string
    /** Users of other parents are not found. */
    parentOrgId: string
  }
  type ReturnType = { userId: string; orgId: string; email: string | null } | null
}

/** A user below a parent organization with their e-mail, or null. */
export async function findUserProfile(
  db: Db,
  parameters: findUserProfile.Parameters,
): Promise<findUserProfile.ReturnType> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'org_id', 'email'])
    .where('id', '=', parameters.userId)
    .where('org_id', '=', parameters.orgId)
    .where('parent_org_id', '=', parameters.parentOrgId)
    .executeTakeFirst()
  if (!row) return null
  return { userId: row.id, orgId: row.org_id, email: row.email }
}

/** The address of an organization's first user, once a mail to it was used, or null. */
export async function findProvenEmail(db: Db, { orgId }: { orgId: string }): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('email')
    .where('org_id', '=', orgId)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst()
  return row?.email ?? null
}
