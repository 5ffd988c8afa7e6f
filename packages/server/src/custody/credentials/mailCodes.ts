import { randomInt, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { MailCodeTable } from '../../platform/database/tables.ts'
import type { ServerError } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import { codeMs, maxCodeAttempts, maxOpenMails, maxOpenMailsPerUser } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { mac } from '../macs.ts'
import { dropOldestKeys } from './addSessionKey.ts'
import { returnCodeDigits, takeCodeDigits } from './codeBudget.ts'
import { revokeCredentials } from './revokeCredentials.ts'

type Code = Selectable<MailCodeTable>

export declare namespace addMailCode {
  type Parameters = {
    userId: string
    orgId: string
    /** Session key in the same e-mail, with its expiry. */
    apiKeyId: string
    expiresAt: Date
    /** Time at which the e-mail's unopened link expires. */
    linkExpiresAt: Date
    /** Uncompressed P-256 point, hex. */
    targetPublicKey: string
  } & takeCodeDigits.Parameters
  type ReturnType = { otpId: string; code: string; expiresAt: Date }
}

/**
 * Creates a one-time sign-in code for the key of one frame. The code is valid as long as the link of the same e-mail,
 * but at most ten minutes. `takeCodeDigits` decides its length.
 */
export async function addMailCode(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addMailCode.Parameters,
): Promise<addMailCode.ReturnType> {
  const { userId, orgId, apiKeyId, expiresAt: sessionEnd, linkExpiresAt, targetPublicKey, ...budget } = parameters
  const now = context.now()
  const digits = await takeCodeDigits(db, { userId, ...budget })
  const code = Array.from({ length: digits }, () => randomInt(10)).join('')
  const identity = {
    id: randomUUID(),
    org_id: orgId,
    user_id: userId,
    credential_id: apiKeyId,
    target_public_key: targetPublicKey.toLowerCase(),
    session_seconds: Math.round((sessionEnd.getTime() - now) / 1000),
    expires_at: new Date(Math.min(now + codeMs, linkExpiresAt.getTime())),
  }
  await db
    .insertInto('mail_codes')
    .values({
      ...identity,
      mac: mac(context.macKey, 'mail_codes', { ...identity, code }),
      asker: budget.asker,
      digits,
      link_expires_at: linkExpiresAt,
      created_at: new Date(now),
    })
    .execute()
  return { otpId: identity.id, code, expiresAt: identity.expires_at }
}

/**
 * Revokes a requester's oldest unused sign-in e-mails to a user, with their links and codes, until one more fits. Never
 * revokes sessions or other requesters' e-mails, since anyone who knows an address can request e-mails. A requester
 * without a client IP address is identified by the target key. The user's row must be locked.
 */
export async function revokeOldMails(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  {
    orgId,
    userId,
    asker,
    targetPublicKey,
  }: Pick<addMailCode.Parameters, 'orgId' | 'userId' | 'asker' | 'targetPublicKey'>,
): Promise<void> {
  const unused = await db
    .selectFrom('mail_codes')
    .select(['id', 'credential_id', 'asker', 'target_public_key'])
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    // Waits for a link that is being opened. That link is then no longer unused.
    .forUpdate()
    .execute()
  const isOwn = (row: (typeof unused)[number]) =>
    asker === null ? row.target_public_key === targetPublicKey.toLowerCase() : row.asker === asker
  const kept = unused.filter((row) => !isOwn(row)).slice(0, maxOpenMailsPerUser - maxOpenMails)
  kept.push(...unused.filter(isOwn).slice(0, maxOpenMails - 1))
  const old = unused.filter((row) => !kept.includes(row))
  await revokeCredentials(context, db, { orgId, userId, ids: old.flatMap(({ credential_id }) => credential_id ?? []) })
  const ids = old.map(({ id }) => id)
  await db
    .deleteFrom('mail_codes')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where((where) => where.or([where('spent_at', 'is not', null), where('id', '=', sql<string>`any(${ids}::uuid[])`)]))
    .execute()
}

/** Revokes all unused sign-in e-mails of a user, with their links and codes. The user's row must be locked. */
export async function revokeUnusedMails(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  const unused = await db
    .deleteFrom('mail_codes')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null)
    .returning('credential_id')
    .execute()
  await revokeCredentials(context, db, { orgId, userId, ids: unused.flatMap((row) => row.credential_id ?? []) })
}

/** Attempts counted in this process, by code. They limit guesses even if the table's counter is reset. */
const attempts = new Map<string, number>()
const maxKnownCodes = 10_000

/**
 * Counts an attempt in this process.
 * @throws `OTP_EXPIRED` if the code was tried too often.
 */
export function countKnownAttempt(known: string): void {
  const before = attempts.get(known) ?? 0
  if (before >= maxCodeAttempts) throw codeExpired()
  if (attempts.size >= maxKnownCodes) attempts.clear()
  attempts.set(known, before + 1)
}

/**
 * Counts an attempt at a code before any comparison and even if the request fails, so that concurrent guesses all
 * count. Only the key that requested the e-mail can use up its attempts.
 *
 * @throws `OTP_EXPIRED` for a code that is spent, expired, tried too often, unknown or for another key.
 */
export async function countAttempt(
  context: Pick<CustodyContext, 'db' | 'now'>,
  { otpId, orgId, targetPublicKey }: { otpId: string; orgId: string; targetPublicKey: string },
): Promise<Code> {
  const target = targetPublicKey.toLowerCase()
  countKnownAttempt(`${otpId} ${target}`)
  const row = await context.db
    .updateTable('mail_codes')
    .set({ attempts: sql`attempts + 1` })
    .where('id', '=', otpId)
    .where('org_id', '=', orgId)
    .where('target_public_key', '=', target)
    .where('attempts', '<', maxCodeAttempts)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', new Date(context.now()))
    .returningAll()
    .executeTakeFirst()
  if (row) return row
  throw codeExpired()
}

/**
 * Returns the attempt of a correct code, which is no guess. Its request may still fail for want of a second factor, and
 * is then repeated.
 */
export async function returnAttempt(
  { db }: Pick<CustodyContext, 'db'>,
  { id, org_id, target_public_key }: Pick<Code, 'id' | 'org_id' | 'target_public_key'>,
): Promise<void> {
  attempts.delete(`${id} ${target_public_key}`)
  await db
    .updateTable('mail_codes')
    .set({ attempts: sql`attempts - 1` })
    .where('id', '=', id)
    .where('org_id', '=', org_id)
    .where('attempts', '>', 0)
    .execute()
}

/**
 * Marks a code as spent.
 * @throws `OTP_EXPIRED` if it was spent already.
 */
export async function spendCode(
  { now }: Pick<CustodyContext, 'now'>,
  db: Db,
  { otpId, orgId, rootOrgId }: { otpId: string; orgId: string; rootOrgId: string },
): Promise<Pick<Code, 'session_seconds'>> {
  const spent = await db
    .updateTable('mail_codes')
    .set({ spent_at: new Date(now()) })
    .where('id', '=', otpId)
    .where('org_id', '=', orgId)
    .where('spent_at', 'is', null)
    .returning(['session_seconds', 'user_id', 'asker', 'digits'])
    .executeTakeFirst()
  if (!spent) throw codeExpired()
  await returnCodeDigits(db, { ...spent, userId: spent.user_id, rootOrgId })
  return spent
}

/** Expiry of an unopened e-mail link; null for opened links and for all other credentials. */
export const unopenedUntil = sql<Date | null>`case when c.email_session then (
  select coalesce(m.link_expires_at, c.expires_at) from mail_codes m
  where m.org_id = c.org_id and m.credential_id = c.id and m.spent_at is null
) end`

export declare namespace openLink {
  type Parameters = { orgId: string; userId: string; rootOrgId: string; credentialId: string }
}

/**
 * Opens an e-mail's link on the first use of its session key: spends its code, and turns the key into a session of the
 * user.
 */
export async function openLink(
  context: Pick<CustodyContext, 'db' | 'macKey' | 'now'>,
  { orgId, userId, rootOrgId, credentialId }: openLink.Parameters,
): Promise<void> {
  await inTransaction(context.db, async (db) => {
    await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
    const spent = await db
      .updateTable('mail_codes')
      .set({ spent_at: new Date(context.now()) })
      .where('org_id', '=', orgId)
      .where('user_id', '=', userId)
      .where('credential_id', '=', credentialId)
      .where('spent_at', 'is', null)
      .returning(['asker', 'digits'])
      .executeTakeFirst()
    if (!spent) return
    await dropOldestKeys(context, db, { orgId, userId, except: credentialId })
    await returnCodeDigits(db, { ...spent, userId, rootOrgId })
  })
}

export function codeExpired(): ServerError {
  return custodyError('OTP_EXPIRED', 'This code can no longer be used. Ask for a new email.')
}
