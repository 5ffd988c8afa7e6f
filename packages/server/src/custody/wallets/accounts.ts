import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { WalletAccountTable } from '../../platform/database/tables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'
import { assertCapacity } from './assertCapacity.ts'
import { deriveKey, ethereumAddress } from './ethereumKey.ts'
import { sealSecret, withSecret } from './sealSecret.ts'

const version = 1
const keyBytes = 32

/** Keys that seal a wallet's secrets and authenticate its addresses. */
export type Sealer = Pick<CustodyContext, 'keyEncryption' | 'macKey'>

/** An Ethereum account to add: its BIP-32 path. */
export type NewAccount = { path: string; name?: string | undefined }

export declare namespace addAccounts {
  type Parameters = {
    orgId: string
    walletId: string
    /** Entropy of the wallet; the caller wipes it. */
    entropy: Uint8Array
    accounts: readonly NewAccount[]
    /** Creation time, which sets the order in lists. @default the database's time */
    createdAt?: Date | undefined
  }
}

/**
 * Derives accounts of a wallet, stores them and returns their addresses in the same order.
 *
 * @throws `REQUEST_INVALID` when the organization holds one of them already.
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

/** `address`: EIP-55. */
type AccountIdentity = { orgId: string; id: string; address: string }

/** Columns of `wallet_accounts` that hold a derived private key, sealed with the address it is for. */
export type SealedAccountKey = { sealed_key: Uint8Array; wrapped_key: Uint8Array; key_version: number }

/** Seals the private key of an account, so that signing need not derive it each time. The caller wipes the key. */
async function sealAccountKey(
  keyEncryption: KeyEncryption,
  { orgId, id, address }: AccountIdentity,
  key: Uint8Array,
): Promise<SealedAccountKey> {
  const secret = Buffer.concat([key, Buffer.from(address)])
  try {
    const identity = { table: 'wallet_accounts', orgId, id, version } as const
    const { sealed, wrappedKey } = await sealSecret(keyEncryption, identity, secret)
    return { sealed_key: sealed, wrapped_key: wrappedKey, key_version: version }
  } finally {
    secret.fill(0)
  }
}

/**
 * Opens the private key of an account, passes it to `use` and wipes it. The address column is not sealed: a key that
 * was sealed with another address is never used.
 *
 * @throws `INTERNAL` for a key of another address.
 */
export function openAccountKey<result>(
  keyEncryption: KeyEncryption,
  { orgId, id, address }: AccountIdentity,
  { sealed_key: sealed, wrapped_key: wrappedKey, key_version }: SealedAccountKey,
  use: (key: Uint8Array) => Promise<result> | result,
): Promise<result> {
  const identity = { table: 'wallet_accounts', orgId, id, version: key_version } as const
  return withSecret(keyEncryption, identity, { sealed, wrappedKey }, (secret) => {
    if (!Buffer.from(address).equals(secret.subarray(keyBytes)))
      throw new ServerError('The stored address does not belong to its key. It was not used.', {
        code: 'INTERNAL',
        status: 500,
      })
    return use(secret.subarray(0, keyBytes))
  })
}

export declare namespace readAccounts {
  type Parameters = {
    orgId: string
    limit: number
    /** Limits the result to one wallet. */
    walletId?: string | undefined
    /** Ids of accounts: the result lies between the two. */
    after?: string | undefined
    before?: string | undefined
  }
}

/**
 * Returns the first accounts of an organization that custody wrote, oldest first; forged ones are logged.
 *
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
