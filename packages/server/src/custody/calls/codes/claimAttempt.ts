import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { ServerError } from '../../../http/ServerError.ts'
import type { MailCodeTable } from '../../../store/tables.ts'
import { custodyError } from '../../custodyError.ts'
import type { CustodyContext } from '../../deps.ts'

/** Tries a code has. */
export const maxAttempts = 5
const maxRemembered = 10_000

/** Tries of this process, by code: they hold even against somebody who sets the table's count back. */
const tries = new Map<string, number>()

/**
 * Uses one of a code's tries up, before anything is compared and whatever becomes of the request: so guesses sent at the
 * same time count each.
 *
 * @throws ServerError `OTP_EXPIRED` (400) for a code that is spent, over, tried too often, or never was
 */
export async function claimAttempt(
  context: Pick<CustodyContext, 'db' | 'now'>,
  { otpId, orgId }: { otpId: string; orgId: string },
): Promise<Selectable<MailCodeTable>> {
  const before = tries.get(otpId) ?? 0
  if (before >= maxAttempts) throw expired()
  if (tries.size >= maxRemembered) tries.clear()
  tries.set(otpId, before + 1)
  const row = await context.db
    .updateTable('mail_codes')
    .set({ attempts: sql`attempts + 1` })
    .where('id', '=', otpId)
    .where('org_id', '=', orgId)
    .where('attempts', '<', maxAttempts)
    .where('spent_at', 'is', null)
    .where('expires_at', '>', new Date(context.now()))
    .returningAll()
    .executeTakeFirst()
  if (row) return row
  throw expired()
}

export function expired(): ServerError {
  return custodyError('OTP_EXPIRED', 'The code can no longer be used. Ask for a new mail.')
}
