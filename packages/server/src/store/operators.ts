import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { OperatorRole } from 'latchkey-protocol/admin'
import type { Db } from '../platform/database/openStore.ts'
import type { OperatorTable } from '../platform/database/operatorTables.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { isEqualDigest, operatorMac } from './operatorMac.ts'

/** Holder of an admin API key. */
export type Operator = { id: string; name: string; role: OperatorRole }

/** An operator's key without its secret, which is not stored. */
export type StoredOperator = Operator & {
  createdAt: Date
  expiresAt: Date | null
  removedAt: Date | null
  /**
   * False for a row that was not written with the operators' key but by someone with database access. Such a row grants
   * nothing.
   */
  isGenuine: boolean
}

/** An operator from the configuration, without a row. */
export type ConfiguredOperator = Operator & {
  /** SHA-256 of the key, in hex. */
  secretHash: string
}

type Keyed = {
  /** 32 bytes from the configuration that authenticate rows. */
  key: Uint8Array
  /** @default Date.now */
  now?: (() => number) | undefined
}

export declare namespace createOperator {
  type Parameters = Keyed & { name: string; role: OperatorRole; expiresAt?: Date | null | undefined }
  /** `secret` is shown only once. */
  type ReturnType = { secret: string; operator: StoredOperator }
}

/**
 * Creates a key of the admin API.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function createOperator(
  db: Db,
  { key, now = Date.now, name, role, expiresAt = null }: createOperator.Parameters,
): Promise<createOperator.ReturnType> {
  if (name.trim() === '' || name.length > 128)
    throw new ServerError('The name of an operator must have 1 to 128 characters.', { code: 'REQUEST_INVALID' })
  const id = randomUUID()
  const secret = `lko_${id.replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`
  const row = {
    id,
    name,
    role,
    secret_hash: hashSecret(secret),
    created_at: new Date(now()),
    expires_at: expiresAt,
    removed_at: null,
  }
  const row_mac = rowMac(key, row)
  await db
    .insertInto('operators')
    .values({ ...row, row_mac })
    .execute()
  return { secret, operator: toOperator({ ...row, row_mac }, key) }
}

/** Returns all keys, newest first, including ended ones; at most `limit`. */
export async function listOperators(
  db: Db,
  { key, limit = 500 }: Keyed & { limit?: number },
): Promise<StoredOperator[]> {
  const rows = await db
    .selectFrom('operators')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => toOperator(row, key))
}

export declare namespace endOperator {
  type Parameters = Keyed & {
    id: string
    /** Milliseconds until the key ends. @default 0 */
    afterMs?: number | undefined
  }
}

/**
 * Ends a key immediately on every replica, or after a delay. An end that is already set can only be moved to an earlier
 * time.
 *
 * @throws `NOT_FOUND`, also for a row that is not genuine; `STATE_CONFLICT` for a key that has ended.
 */
export async function endOperator(
  db: Db,
  { key, now = Date.now, id, afterMs = 0 }: endOperator.Parameters,
): Promise<{ before: StoredOperator; after: StoredOperator }> {
  const row = await db.selectFrom('operators').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  const before = row && toOperator(row, key)
  if (!row || !before?.isGenuine)
    throw new ServerError('There is no such operator. List the operators.', { code: 'NOT_FOUND', status: 404 })
  if (hasEnded(before, now()))
    throw new ServerError('This key of an operator has ended already. Make another one.', {
      code: 'STATE_CONFLICT',
      status: 409,
    })
  const end = new Date(Math.min(now() + afterMs, row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY))
  const changed = { ...row, ...(afterMs > 0 ? { expires_at: end } : { removed_at: new Date(now()) }) }
  const row_mac = rowMac(key, changed)
  const { expires_at, removed_at } = changed
  await db.updateTable('operators').set({ expires_at, removed_at, row_mac }).where('id', '=', id).execute()
  return { before, after: toOperator({ ...changed, row_mac }, key) }
}

/**
 * Creates a key with the name and the role of an existing key, which stays valid for a while.
 * @throws `NOT_FOUND`, `STATE_CONFLICT`.
 */
export async function rotateOperator(
  db: Db,
  parameters: endOperator.Parameters,
): Promise<createOperator.ReturnType & { before: StoredOperator }> {
  const { before } = await endOperator(db, parameters)
  const { name, role } = before
  return { ...(await createOperator(db, { key: parameters.key, now: parameters.now, name, role })), before }
}

export declare namespace findOperator {
  type Parameters = Keyed & {
    secret: string
    configured?: readonly ConfiguredOperator[] | undefined
    /** Called for a row that matches the key but was not written by the server. */
    onForgery?: ((id: string) => void) | undefined
  }
}

const nothing = new Uint8Array(32)

/** Returns the operator of a key, or null. Compares digests in constant time, even if there is no row. */
export async function findOperator(
  db: Db,
  { secret, key, now = Date.now, configured = [], onForgery }: findOperator.Parameters,
): Promise<Operator | null> {
  const digest = hashSecret(secret)
  const found = configured.filter(({ secretHash }) => isEqualDigest(digest, Buffer.from(secretHash, 'hex')))
  const [, hex] = /^lko_([0-9a-f]{32})_[\w-]{43}$/.exec(secret) ?? []
  const row =
    hex === undefined
      ? undefined
      : await db.selectFrom('operators').selectAll().where('id', '=', hex).executeTakeFirst()
  const isKey = isEqualDigest(digest, row?.secret_hash ?? nothing)
  if (found[0]) return { id: found[0].id, name: found[0].name, role: found[0].role }
  if (!row || !isKey) return null
  const operator = toOperator(row, key)
  if (!operator.isGenuine) onForgery?.(operator.id)
  if (!operator.isGenuine || hasEnded(operator, now())) return null
  return { id: operator.id, name: operator.name, role: operator.role }
}

function hasEnded({ removedAt, expiresAt }: StoredOperator, now: number): boolean {
  return removedAt !== null || (expiresAt !== null && expiresAt.getTime() <= now)
}

export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest()
}

type Row = Selectable<OperatorTable>

/** Computes the MAC of all columns, so that no column can be swapped with another row's. */
function rowMac(key: Uint8Array, row: Omit<Row, 'row_mac'>): Uint8Array {
  const { id, name, role, secret_hash, created_at, expires_at, removed_at } = row
  return operatorMac(key, 'latchkey.operator.v1', [
    id,
    name,
    role,
    Buffer.from(secret_hash).toString('hex'),
    created_at.getTime(),
    expires_at?.getTime() ?? null,
    removed_at?.getTime() ?? null,
  ])
}

function toOperator(row: Row, key: Uint8Array): StoredOperator {
  const { id, name, role, created_at: createdAt, expires_at: expiresAt, removed_at: removedAt } = row
  return { id, name, role, createdAt, expiresAt, removedAt, isGenuine: isEqualDigest(rowMac(key, row), row.row_mac) }
}
