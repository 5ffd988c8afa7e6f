import { randomBytes, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'
import type { OperatorSessionTable } from '../platform/database/operatorTables.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { isEqualDigest, operatorMac } from './operatorMac.ts'
import { hashSecret } from './operators.ts'

type Keyed = {
  /** The operators' key, which authenticates rows. */
  key: Uint8Array
  now(): number
}

/** Lifetime of a session after its last request, and in total. */
export const operatorSessionMs = { idle: 30 * 60_000, most: 12 * 3_600_000 } as const
/** Retention of an ended session's row. Longer than its challenge is valid, so that the row prevents a replay. */
const keptMs = 3_600_000
/** Minimum interval between writes of `seen_at`. */
const seenEveryMs = 60_000

export declare namespace createOperatorSession {
  type Parameters = Keyed & {
    operatorId: string
    /** Challenge that the operator's passkey signed. */
    challenge: string
  }
  /** `secret` goes to the browser's cookie and is not stored. */
  type ReturnType = { id: string; secret: string; expiresAt: Date }
}

/**
 * Creates an operator's session.
 * @throws `STATE_CONFLICT` if the challenge has already been used to sign in.
 */
export async function createOperatorSession(
  db: Db,
  { key, now, operatorId, challenge }: createOperatorSession.Parameters,
): Promise<createOperatorSession.ReturnType> {
  await db
    .deleteFrom('operator_sessions')
    .where('expires_at', '<', new Date(now() - keptMs))
    .execute()
  const id = randomUUID()
  const secret = `lks_${id.replaceAll('-', '')}_${randomBytes(32).toString('base64url')}`
  const row = {
    id,
    operator_id: operatorId,
    secret_hash: hashSecret(secret),
    challenge_hash: hashSecret(challenge),
    created_at: new Date(now()),
    expires_at: new Date(now() + operatorSessionMs.most),
    seen_at: new Date(now()),
  }
  const made = await db
    .insertInto('operator_sessions')
    .values({ ...row, row_mac: rowMac(key, row) })
    .onConflict((conflict) => conflict.column('challenge_hash').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made) return { id, secret, expiresAt: row.expires_at }
  throw new ServerError('This sign-in was used before. Sign in again.', { code: 'STATE_CONFLICT', status: 409 })
}

export declare namespace findOperatorSession {
  type Parameters = Keyed & {
    secret: string
    /** Called for a row that matches the key but was not written by the server. */
    onForgery?: ((id: string) => void) | undefined
  }
}

/** Returns the session's operator, or null. The look-up resets the session's idle timeout. */
export async function findOperatorSession(
  db: Db,
  { key, now, secret, onForgery }: findOperatorSession.Parameters,
): Promise<{ id: string; operatorId: string } | null> {
  const [, id] = /^lks_([0-9a-f]{32})_[\w-]{43}$/.exec(secret) ?? []
  if (id === undefined) return null
  const row = await db.selectFrom('operator_sessions').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || !isEqualDigest(hashSecret(secret), row.secret_hash)) return null
  if (!isEqualDigest(rowMac(key, row), row.row_mac)) {
    onForgery?.(row.operator_id)
    return null
  }
  const idleMs = now() - row.seen_at.getTime()
  if (row.expires_at.getTime() <= now() || idleMs > operatorSessionMs.idle) return null
  if (idleMs > seenEveryMs)
    await db
      .updateTable('operator_sessions')
      .set({ seen_at: new Date(now()) })
      .where('id', '=', row.id)
      .execute()
  return { id: row.id, operatorId: row.operator_id }
}

/**
 * Ends one session of an operator, or all of them, and returns the number. The rows stay, so that sign-ins cannot be
 * replayed.
 */
export async function endOperatorSessions(db: Db, of: { id: string } | { operatorId: string }): Promise<number> {
  const ended = new Date(0)
  const { numUpdatedRows } = await db
    .updateTable('operator_sessions')
    .set({ seen_at: ended })
    .where('seen_at', '>', ended)
    .where('id' in of ? 'id' : 'operator_id', '=', 'id' in of ? of.id : of.operatorId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function countOperatorSessions(db: Db, now: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('operator_sessions')
    .select(({ fn }) => ['operator_id', fn.countAll<string>().as('count')])
    .where('expires_at', '>', new Date(now))
    .where('seen_at', '>', new Date(now - operatorSessionMs.idle))
    .groupBy('operator_id')
    .execute()
  return new Map(rows.map(({ operator_id, count }) => [operator_id, Number(count)]))
}

function rowMac(key: Uint8Array, row: Omit<Selectable<OperatorSessionTable>, 'row_mac' | 'seen_at'>): Uint8Array {
  const { id, operator_id, secret_hash, challenge_hash, created_at, expires_at } = row
  return operatorMac(key, 'latchkey.operator-session.v1', [
    id,
    operator_id,
    Buffer.from(secret_hash).toString('hex'),
    Buffer.from(challenge_hash).toString('hex'),
    created_at.getTime(),
    expires_at.getTime(),
  ])
}
