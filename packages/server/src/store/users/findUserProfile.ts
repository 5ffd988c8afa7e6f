import type { Address } from 'viem'
import type { Db } from '../openStore.ts'

/** E-mail and first Ethereum address of a user below a parent organization, or null. */
export async function findUserProfile(
  db: Db,
  parameters: findUserProfile.Parameters,
): Promise<findUserProfile.ReturnType> {
  const row = await db
    .selectFrom('users')
    .leftJoin('wallet_accounts', 'wallet_accounts.org_id', 'users.org_id')
    .select(['users.id', 'users.org_id', 'users.email', 'wallet_accounts.address'])
    .where('users.id', '=', parameters.userId)
    .where('users.org_id', '=', parameters.orgId)
    .where('users.parent_org_id', '=', parameters.parentOrgId)
    .orderBy('wallet_accounts.created_at')
    .orderBy('wallet_accounts.path')
    .executeTakeFirst()
  if (!row) return null
  return { userId: row.id, orgId: row.org_id, email: row.email, address: row.address as Address | null }
}

export declare namespace findUserProfile {
  type Parameters = { userId: string; orgId: string /** Only users below it. */; parentOrgId: string }
  type ReturnType = { userId: string; orgId: string; email: string | null; address: Address | null } | null
}
