import type { Db } from '../openStore.ts'

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

export declare namespace findUserProfile {
  type Parameters = { userId: string; orgId: string /** Only users below it. */; parentOrgId: string }
  type ReturnType = { userId: string; orgId: string; email: string | null } | null
}
