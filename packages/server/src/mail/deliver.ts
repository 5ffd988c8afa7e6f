import type { Logger } from '../http/logger.ts'
import { type MailPayload, openMail } from '../keys/mailSeal.ts'
import { claimMail, failMail, markSent, postponeMail } from '../store/mailOutbox.ts'
import type { Db } from '../store/openStore.ts'
import type { Mailer } from './createMailer.ts'

/** Pauses after failures that may pass. Somebody may be waiting, so the first ones are short. */
const pausesMs = [500, 1_500, 4_000, 15_000, 60_000, 240_000, 900_000, 3_600_000, 3_600_000]

export declare namespace deliver {
  type Parameters = {
    db: Db
    mailer: Mailer
    /** Of the row in the outbox. */
    id: string
    sealKey: Uint8Array
    logger: Logger
    now: () => number
  }
}

/**
 * Tries one mail of the outbox. What may pass (no connection, no answer, 4xx) is tried again later, each time after a
 * longer pause, at most ten times and until the mail has no use any more; what cannot get better is given up at once. A
 * mail that is given up takes the session key it carries with it.
 *
 * A try whose outcome is unknown may have reached the recipient: the next one has the same Message-ID.
 */
export async function deliver(parameters: deliver.Parameters): Promise<void> {
  const { db, mailer, id, sealKey, logger, now } = parameters
  const row = await claimMail(db, id)
  if (!row) return
  if (row.cancelled) return giveUp(parameters, 'cancelled')
  if (row.tries > pausesMs.length + 1) return giveUp(parameters, 'interrupted')
  if (row.expires_at.getTime() <= now() || !row.payload_sealed) return giveUp(parameters, 'expired')
  let payload: MailPayload
  try {
    payload = openMail(sealKey, row, row.payload_sealed)
  } catch {
    return giveUp(parameters, 'unreadable')
  }
  const startedAt = now()
  try {
    await mailer.send({ id, payload, now: startedAt })
  } catch (error) {
    const { failure, mayPass } = classify(error)
    const until = now() + (pausesMs[row.tries - 1] ?? Number.POSITIVE_INFINITY)
    if (!mayPass || until >= row.expires_at.getTime()) return giveUp(parameters, failure)
    await postponeMail(db, { id, until: new Date(until) })
    return logger.warn({ mailId: id, failure, tries: row.tries }, 'A mail could not be sent yet')
  }
  const ms = now() - startedAt
  if (await markSent(db, id)) logger.info({ mailId: id, ms }, 'Mail sent')
  else logger.warn({ mailId: id, ms }, 'A mail was sent too late; its session key is revoked')
}

async function giveUp({ db, id, logger }: deliver.Parameters, failure: string): Promise<void> {
  if (await failMail(db, { id, failure }))
    logger.error({ mailId: id, failure }, 'A mail could not be sent; its session key, if it had one, is revoked')
}

/** A short class of an SMTP failure. The server's own words may repeat the address, so they are not kept. */
function classify(error: unknown): { failure: string; mayPass: boolean } {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown }
  if (typeof responseCode === 'number')
    // RFC 5321 § 4.2.1; also for a sign-in, RFC 4954 § 6.
    return { failure: `smtp ${responseCode}`, mayPass: responseCode >= 400 && responseCode < 500 }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE' || code === 'REQUEST_INVALID')
    return { failure: String(code), mayPass: false }
  return { failure: typeof code === 'string' ? code : 'unknown', mayPass: true }
}
