import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { WalletAccountTable } from '../../platform/database/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'
import { assertCapacity } from './assertCapacity.ts'
import { deriveKey, ethereumAddress } from './ethereumKey.ts'
import { sealAccountKey } from './sealSecret.ts'

/** Keys that seal a wallet's secrets and authenticate its addresses. */
export type Sealer = Pick<CustodyContext, 'keyEncryption' | 'macKey'>

/** An Ethereum account to add, given by its BIP-32 path. */
export type NewAccount = { path: string; name?: string | undefined }

export declare namespace addAccounts {
  type Parameters = {
    orgId: string
    walletId: string
    /** Entropy of the wallet. The caller wipes it. */
    entropy: Uint8Array
    accounts: readonly NewAccount[]
    /** Creation time, which determines the order in lists. @default the database's time */
    createdAt?: Date | undefined
  }
}

/**
 * Derives accounts of a wallet, stores them and returns their addresses in the same order.
 *
 * @throws `REQUEST_INVALID` if the organization already has one of the accounts.
 */
export async function addAccounts(db: Db, context: Sealer, parameters: addAccounts.Parameters): Promise<Address[]> {
  const { orgId, walletId, entropy, accounts, createdAt: created_at } = parameters
  if (accounts.length === 0) return []
  await assertCapacity(db, { table: 'wallet_accounts', orgId, adding: accounts.length })
  const rows = []
  for (const { path, name = null } of accounts) {
    const account = { id: randomUUID(), wallet_id: walletId, org_id: orgId, path, name }
    const row = { ...account, ...(await sealAccount(context.keyEncryption, account, entropy)) }
    rows.push({ ...row, created_at, mac: mac(context.macKey, 'wallet_accounts', row) })
  }
  const inserted = await db
    .insertInto('wallet_accounts')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  if (inserted.length < rows.length)
    throw custodyError('REQUEST_INVALID', 'This organization has an account with one of these addresses already.')
  return rows.map((row) => row.address)
}

async function sealAccount(
  keyEncryption: KeyEncryption,
  account: { id: string; org_id: string; path: string },
  entropy: Uint8Array,
) {
  const key = await deriveKey(entropy, account.path)
  try {
    const { address, publicKey } = ethereumAddress(key)
    const sealed = await sealAccountKey(keyEncryption, { orgId: account.org_id, id: account.id, address }, key)
    return { address, public_key: publicKey, ...sealed }
  } finally {
    key.fill(0)
  }
}

export declare namespace readAccounts {
  type Parameters = {
    orgId: string
    limit: number
    /** Limits the result to one wallet. */
    walletId?: string | undefined
    /** Account ids. The result contains only accounts between the two. */
    after?: string | undefined
    before?: string | undefined
  }
}

/**
 * Returns the first accounts of an organization, oldest first. Skips and logs rows that custody did not write.
 * @throws `NOT_FOUND` for an unknown id.
 */
export async function readAccounts(
  context: Pick<CustodyContext, 'db' | 'macKey' | 'logger'>,
  { orgId, limit, walletId, after, before }: readAccounts.Parameters,
): Promise<Selectable<WalletAccountTable>[]> {
  const all = context.db
    .selectFrom('wallet_accounts')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(walletId !== undefined, (query) => query.where('wallet_id', '=', walletId ?? ''))
  for (const id of [after, before]) {
    if (id === undefined || (await all.where('id', '=', id).executeTakeFirst())) continue
    throw custodyError('NOT_FOUND', 'No account with the id in paginationOptions.')
  }
  const rows = await all
    .$if(after !== undefined, (query) => query.where(sql<boolean>`${place} > ${findPlace(after)}`))
    .$if(before !== undefined, (query) => query.where(sql<boolean>`${place} < ${findPlace(before)}`))
    .orderBy('created_at')
    .orderBy('wallet_id')
    .orderBy('path')
    .limit(limit)
    .execute()
  return rows.filter((row) => isTrusted(context, 'wallet_accounts', row))
}

const place = sql`(created_at, wallet_id, path)`
const findPlace = (id = '') => sql`(select created_at, wallet_id, path from wallet_accounts where id = ${id})`
