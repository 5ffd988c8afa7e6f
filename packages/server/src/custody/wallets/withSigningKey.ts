import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sql } from 'kysely'
import type { SignRawPayloadResult } from 'latchkey-protocol'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { createBatcher } from '../../platform/database/createBatcher.ts'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { ServerError } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import { withPrivateKey } from './privateKeys.ts'
import { openAccountKey, type SealedAccountKey } from './sealSecret.ts'

/** `address`: EIP-55. */
export type WalletAccount = { walletId: string; address: string }
type Use<input, result> = (key: Uint8Array, input: input) => Promise<result> | result

/** Signs a 32-byte digest. */
export type SignDigest = (digest: Uint8Array) => SignRawPayloadResult

/**
 * Opens the private key of an organization's address or private key id, lets `use` sign with it and wipes it.
 * @throws `NOT_FOUND`, `INTERNAL`.
 */
export async function withSigningKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, signWith }: { orgId: string; signWith: string },
  use: (sign: SignDigest) => Promise<result> | result,
): Promise<result> {
  const useKey = (key: Uint8Array) => use((digest) => signDigest(digest, key))
  if (!signWith.startsWith('0x')) return withPrivateKey(db, keyEncryption, { orgId, privateKeyId: signWith }, useKey)
  const account = await findAccount(db, orgId, signWith)
  if (account) return openAccountKey(keyEncryption, { ...account, orgId }, account, useKey)
  const imported = await db
    .selectFrom('private_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(address)`, '=', signWith.toLowerCase())
    .executeTakeFirst()
  if (!imported) throw unknownAddress(signWith)
  return withPrivateKey(db, keyEncryption, { orgId, privateKeyId: imported.id }, useKey)
}

/** Signs a 32-byte digest: RFC 6979, low s, recovery bit as two hex digits (custody protocol § 2.6). */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): SignRawPayloadResult {
  const signature = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
  const hex = Buffer.from(signature).toString('hex')
  return { r: hex.slice(2, 66), s: hex.slice(66, 130), v: hex.slice(0, 2) }
}

/**
 * Opens the private key of one of an organization's wallet accounts, passes it to `use` and wipes it. The address is
 * compared case-insensitively.
 *
 * @throws `NOT_FOUND`, `INTERNAL`.
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

type Account = WalletAccount & SealedAccountKey & { id: string }

type LookUp = { orgId: string; address: string }

/** Batches the account look-ups of signatures: look-ups that arrive during a query share the next query. */
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

function unknownAddress(address: string): ServerError {
  return custodyError('NOT_FOUND', `Could not find wallet associated with ${address}`)
}
