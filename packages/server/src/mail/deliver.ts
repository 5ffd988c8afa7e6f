import type { Logger } from '../http/logger.ts'
import { type MailPayload, openMail } from '../keys/mailSeal.ts'
import type { Db } from '../store/openStore.ts'
import { failMail } from '../store/outbox/failMail.ts'
import type { Mailer } from './createMailer.ts'
import { markSent, type OutboxRow } from './outbox.ts'

const maxClaims = 3
const secondTryAfterMs = 250
/** A first attempt that took longer than this is not repeated: somebody waits for the answer. */
const quickMs = 3_500

/**
 * Sends one claimed mail. A first failure that may pass (connection refused, 4xx) gets one quick second try; then, and at
 * once for what cannot get better, the mail counts as failed and its session key is revoked.
 */
export async function deliver(parameters: deliver.Parameters): Promise<void> {
  const { db, mailer, row, sealKey, logger, now } = parameters
  if (row.tries > maxClaims) return fail(parameters, 'interrupted')
  if (row.expires_at.getTime() <= now() || !row.payload_sealed) return fail(parameters, 'expired')
  let payload: MailPayload
  try {
    payload = openMail(sealKey, { id: row.id, recipient: row.recipient }, row.payload_sealed)
  } catch {
    return fail(parameters, 'unreadable')
  }
  const startedAt = now()
  for (let attempt = 1; ; attempt++) {
    try {
      await mailer.send({ id: row.id, payload, now: now() })
      const ms = now() - startedAt
      if (await markSent(db, row.id)) logger.info({ mailId: row.id, ms }, 'Mail sent')
      else logger.warn({ mailId: row.id, ms }, 'A mail was sent too late; its session key is revoked')
      return
    } catch (error) {
      const { failure, mayPass } = classify(error)
      if (!mayPass || attempt === 2 || now() - startedAt > quickMs) return fail(parameters, failure)
      await new Promise((resolve) => setTimeout(resolve, secondTryAfterMs))
    }
  }
}

export declare namespace deliver {
  type Parameters = {
    db: Db
    mailer: Mailer
    row: OutboxRow
    sealKey: Uint8Array
    logger: Logger
    now: () => number
  }
}

async function fail({ db, row, logger }: deliver.Parameters, failure: string): Promise<void> {
  if (await failMail(db, { id: row.id, failure }))
    logger.error({ mailId: row.id, failure }, 'A mail could not be sent; its session key is revoked')
}

/** A short class of an SMTP failure. The server's own words may repeat the address, so they are not kept. */
export function classify(error: unknown): { failure: string; mayPass: boolean } {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown }
  if (typeof responseCode === 'number')
    return { failure: `smtp ${responseCode}`, mayPass: responseCode >= 400 && responseCode < 500 && code !== 'EAUTH' }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE') return { failure: String(code), mayPass: false }
  return { failure: typeof code === 'string' ? code : 'unknown', mayPass: true }
}
