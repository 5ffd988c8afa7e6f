import { randomInt, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { ServerError } from '../../../http/ServerError.ts'
import type { Db } from '../../../store/openStore.ts'
import type { MailCodeTable } from '../../../store/tables.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { custodyError } from '../../custodyError.ts'
import type { CustodyContext } from '../../deps.ts'
import { codeMs, maxCodeAttempts, maxOpenMails } from '../../limits.ts'
import { mac } from '../../macs.ts'

type Code = Selectable<MailCodeTable>

export declare namespace addMailCode {
  type Parameters = {
    userId: string
    orgId: string
    /** The session key that the same mail carries, and its end. */
    apiKeyId: string
    expiresAt: Date
    /** Uncompressed P-256 point, hex. */
    targetPublicKey: string
  }
  type ReturnType = { otpId: string; code: string; expiresAt: Date }
}

/**
 * Makes a six-digit code that signs a user in once, for the key of one frame. It lives as long as the session key of
 * the same mail, but at most ten minutes.
 */
export async function addMailCode(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { userId, orgId, apiKeyId, expiresAt: sessionEnd, targetPublicKey }: addMailCode.Parameters,
): Promise<addMailCode.ReturnType> {
  const now = context.now()
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const identity = {
    id: randomUUID(),
    org_id: orgId,
    user_id: userId,
    credential_id: apiKeyId,
    target_public_key: targetPublicKey.toLowerCase(),
    session_seconds: Math.round((sessionEnd.getTime() - now) / 1000),
    expires_at: new Date(Math.min(now + codeMs, sessionEnd.getTime())),
  }
  await db
    .insertInto('mail_codes')
    .values({
      ...identity,
      mac: mac(context.macKey, 'mail_codes', { ...identity, code }),
      created_at: new Date(now),
    })
    .execute()
  return { otpId: identity.id, code, expiresAt: identity.expires_at }
}

/**
 * Revokes the oldest unused sign-in mails of a user, with their links and codes, until one more fits. Asking for mails
 * takes an address only: so it takes the place of unused mails, never of the owner's sessions. The user's row must be
 * locked.
 */
export async function revokeOldMails(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { userId }: { userId: string },
): Promise<void> {
  const old = await db
    .selectFrom('mail_codes')
    .select(['id', 'credential_id'])
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(maxOpenMails - 1)
    // Waits for a link that is being opened right now, which then stays.
    .forUpdate()
    .execute()
  await revokeCredentials(context, db, { userId, ids: old.flatMap(({ credential_id }) => credential_id ?? []) })
  const ids = old.map(({ id }) => id)
  await db
    .deleteFrom('mail_codes')
    .where('user_id', '=', userId)
    .where((where) => where.or([where('spent_at', 'is not', null), where('id', '=', sql<string>`any(${ids}::uuid[])`)]))
    .execute()
}

/** Attempts in this process, by code: they hold even when the count in the table is set back. */
const attempts = new Map<string, number>()
const maxKnownCodes = 10_000

/**
 * Counts an attempt at a code before anything is compared and whether or not the request succeeds, so that guesses sent
 * at the same time count each.
 *
 * @throws `OTP_EXPIRED` for a code that is spent, expired, tried too often or unknown.
 */
export async function countAttempt(
  context: Pick<CustodyContext, 'db' | 'now'>,
  { otpId, orgId }: { otpId: string; orgId: string },
): Promise<Code> {
  const before = attempts.get(otpId) ?? 0
  if (before >= maxCodeAttempts) throw codeExpired()
  if (attempts.size >= maxKnownCodes) attempts.clear()
  attempts.set(otpId, before + 1)
  const row = await context.db
    .updateTable('mail_codes')
    .set({ attempts: sql`attempts + 1` })
    .where('id', '=', otpId)
    .where('org_id', '=', orgId)
    .where('attempts', '<', maxCodeAttempts)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', new Date(context.now()))
    .returningAll()
    .executeTakeFirst()
  if (row) return row
  throw codeExpired()
}

/**
 * Marks a code as spent.
 *
 * @throws `OTP_EXPIRED` for one that was spent already.
 */
export async function spendCode(
  { now }: Pick<CustodyContext, 'now'>,
  db: Db,
  otpId: string,
): Promise<Pick<Code, 'session_seconds'>> {
  const spent = await db
    .updateTable('mail_codes')
    .set({ spent_at: new Date(now()) })
    .where('id', '=', otpId)
    .where('spent_at', 'is', null)
    .returning('session_seconds')
    .executeTakeFirst()
  if (!spent) throw codeExpired()
  return spent
}

/** Marks the code of a mail as spent once its link is opened; `revokeOldMails` then keeps the session of that link. */
export async function spendCodeOfLink(
  { db, now }: Pick<CustodyContext, 'db' | 'now'>,
  { userId, credentialId, emailSession }: Pick<Caller, 'userId' | 'credentialId' | 'emailSession'>,
): Promise<void> {
  if (!emailSession) return
  await db
    .updateTable('mail_codes')
    .set({ spent_at: new Date(now()) })
    .where('user_id', '=', userId)
    .where('credential_id', '=', credentialId)
    .where('spent_at', 'is', null)
    .execute()
}

export function codeExpired(): ServerError {
  return custodyError('OTP_EXPIRED', 'The code can no longer be used. Ask for a new mail.')
}
