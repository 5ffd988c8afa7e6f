import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { SmartAccountTable, WalletSessionTable } from '../../platform/database/gatewayTables.ts'
import type { Db } from '../../platform/database/openStore.ts'

/**
 * Parameters of an account. They are neither secret nor a proof: the address depends on owners and salt (CREATE2), and
 * an entry point refuses init code that creates another account.
 */
export type SmartAccount = Selectable<SmartAccountTable>

export async function insertSmartAccount(
  db: Db,
  { id = randomUUID(), ...account }: Omit<SmartAccount, 'id' | 'created_at'> & { id?: string | undefined },
): Promise<SmartAccount> {
  const { project_id: projectId, address } = account
  await db
    .insertInto('smart_accounts')
    .values({ id, ...account })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db
    .selectFrom('smart_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
}

export function findSmartAccount(
  db: Db,
  { projectId, address }: { projectId: string; address: string },
): Promise<SmartAccount | undefined> {
  return db
    .selectFrom('smart_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('address', '=', address.toLowerCase())
    .executeTakeFirst()
}

export async function insertSession(
  db: Db,
  session: Omit<Selectable<WalletSessionTable>, 'created_at'>,
): Promise<void> {
  await db.insertInto('wallet_sessions').values(session).execute()
}

export function findSession(
  db: Db,
  { projectId, id }: { projectId: string; id: string },
): Promise<Selectable<WalletSessionTable> | undefined> {
  return db
    .selectFrom('wallet_sessions')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
}

const isSoleOwner = sql<boolean>`owners = array[signer]`

export declare namespace listSmartAccounts {
  type Parameters = {
    projectId: string
    signer: string
    limit: number
    after?: string | undefined
    /** Account with this id, regardless of its owners. @default accounts of which the signer is the only owner */
    id?: string | undefined
  }
}

/** Returns a signer's accounts, oldest first, after the one with the given id. */
export async function listSmartAccounts(
  db: Db,
  { projectId, signer, limit, after, id }: listSmartAccounts.Parameters,
): Promise<SmartAccount[]> {
  let query = db
    .selectFrom('smart_accounts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('signer', '=', signer.toLowerCase())
  query = id === undefined ? query.where(isSoleOwner) : query.where('id', '=', id)
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) > (select created_at, id from smart_accounts where id = ${after} and project_id = ${projectId})`,
    )
  return query.orderBy('created_at').orderBy('id').limit(limit).execute()
}

export async function countSmartAccounts(
  db: Db,
  { projectId, signer }: { projectId: string; signer: string },
): Promise<number> {
  const row = await db
    .selectFrom('smart_accounts')
    .select((expression) => expression.fn.countAll<string>().as('count'))
    .where('project_id', '=', projectId)
    .where('signer', '=', signer.toLowerCase())
    .where(isSoleOwner)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
