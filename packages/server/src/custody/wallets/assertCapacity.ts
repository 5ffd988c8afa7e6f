import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { maxAccounts, maxPrivateKeys, maxWallets } from '../custodyLimits.ts'

const most = {
  wallets: { count: maxWallets, what: 'wallets' },
  wallet_accounts: { count: maxAccounts, what: 'accounts' },
  private_keys: { count: maxPrivateKeys, what: 'private keys' },
} as const

/**
 * Checks that an organization may add wallets, accounts or private keys. Locks the organization until the transaction
 * ends, so that concurrent requests cannot exceed the limit.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function assertCapacity(
  db: Db,
  { table, orgId, adding = 1 }: { table: keyof typeof most; orgId: string; adding?: number },
): Promise<void> {
  await sql`select from organizations where id = ${orgId} for no key update`.execute(db)
  const { rows } = await sql<{ held: number }>`
    select count(*)::int as held from ${sql.table(table)} where org_id = ${orgId}`.execute(db)
  const { count, what } = most[table]
  if ((rows[0]?.held ?? 0) + adding > count)
    throw custodyError('REQUEST_INVALID', `An organization may hold at most ${count} ${what}.`)
}
