import { sql } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { namedQuery } from '../../store/namedQuery.ts'
import type { Db } from '../../store/openStore.ts'
import { createBatcher } from '../createBatcher.ts'
import { custodyError } from '../custodyError.ts'
import { openAccountKey, type SealedAccountKey } from './accountKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'
import { withSecret } from './sealSecret.ts'

export type WalletAccount = { walletId: string /** EIP-55. */; address: string }
type Use<input, result> = (key: Uint8Array, input: input) => Promise<result> | result

/**
 * Opens the private key that an address or a private key id of an organization stands for, hands it to `use` and wipes
 * it.
 *
 * @throws ServerError `NOT_FOUND` (404) | `INTERNAL`
 */
export async function withSigningKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, signWith }: { orgId: string; signWith: string },
  use: (key: Uint8Array) => Promise<result> | result,
): Promise<result> {
  if (!signWith.startsWith('0x')) return withPrivateKey(db, keyEncryption, { orgId, privateKeyId: signWith }, use)
  const account = await findAccount(db, orgId, signWith)
  if (account) return openAccountKey(keyEncryption, { ...account, orgId }, account, use)
  const imported = await db
    .selectFrom('private_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(address)`, '=', signWith.toLowerCase())
    .executeTakeFirst()
  if (!imported) throw unknownAddress(signWith)
  return withPrivateKey(db, keyEncryption, { orgId, privateKeyId: imported.id }, use)
}

/**
 * Opens the private key of one of an organization's wallet accounts, hands it to `use` and wipes it. The address is
 * compared without case.
 *
 * @throws ServerError `NOT_FOUND` (404) when the organization has no such account | `INTERNAL`
 */
export async function withAccountKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, address }: { orgId: string; address: string },
  use: Use<WalletAccount, result>,
): Promise<result> {
  const account = await findAccount(db, orgId, address)
  if (!account) throw unknownAddress(address)
  return openAccountKey(keyEncryption, { ...account, orgId }, account, (key) => use(key, account))
}

/**
 * Opens one of an organization's own private keys, hands it to `use` and wipes it.
 *
 * @throws ServerError `NOT_FOUND` (404) | `INTERNAL`
 */
export async function withPrivateKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, privateKeyId }: { orgId: string; privateKeyId: string },
  use: (key: Uint8Array) => Promise<result> | result,
): Promise<result> {
  const row = await db
    .selectFrom('private_keys')
    .select(['sealed_key as sealed', 'wrapped_key as wrappedKey', 'key_version as version', 'address'])
    .where('id', '=', privateKeyId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', `Could not find private key with id ${privateKeyId}`)
  const identity = { table: 'private_keys', orgId, id: privateKeyId.toLowerCase(), version: row.version } as const
  return withSecret(keyEncryption, identity, row, (key) => {
    assertAddress(key, row.address)
    return use(key)
  })
}

type Account = WalletAccount & SealedAccountKey & { id: string }

type LookUp = { orgId: string; address: string }

/** Every signature asks for one: those who ask a database at once are answered together. */
const finders = new WeakMap<Db, (lookUp: LookUp) => Promise<Account | undefined>>()

function findAccount(db: Db, orgId: string, address: string): Promise<Account | undefined> {
  const known = finders.get(db)
  const find = known ?? createBatcher((lookUps: readonly LookUp[]) => selectAccounts(db, lookUps))
  if (!known) finders.set(db, find)
  return find({ orgId, address: address.toLowerCase() })
}

async function selectAccounts(db: Db, lookUps: readonly LookUp[]): Promise<(Account | undefined)[]> {
  const query = sql<Account & { place: string }>`
    select key.place, id, wallet_id as "walletId", address, sealed_key, wrapped_key, key_version
    from unnest(${lookUps.map(({ orgId }) => orgId)}::uuid[], ${lookUps.map(({ address }) => address)}::text[])
      with ordinality as key (org_id, address_key, place)
    join wallet_accounts account on account.org_id = key.org_id and lower(account.address) = key.address_key`
  const { rows } = await namedQuery(db, 'find_accounts', query)
  const found = new Map(rows.map((row) => [Number(row.place), row]))
  return lookUps.map((_, index) => found.get(index + 1))
}

/** The address column is not sealed: a key that is not the one asked for is never used. */
function assertAddress(key: Uint8Array, address: string): void {
  if (ethereumAddress(key).address === address) return
  throw new ServerError('The stored address does not belong to its key. It was not used.', {
    code: 'INTERNAL',
    status: 500,
  })
}

function unknownAddress(address: string): ServerError {
  return custodyError('NOT_FOUND', `Could not find wallet associated with ${address}`)
}
