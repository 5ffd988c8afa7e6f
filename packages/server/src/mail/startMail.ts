import { type MailPayload, openMail } from '../keys/mailSeal.ts'
import { addJob } from '../platform/database/jobs.ts'
import type { Db, Store } from '../platform/database/openStore.ts'
import { startJobs } from '../platform/database/startJobs.ts'
import { describeError } from '../platform/observability/describeError.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { metrics, onScrape } from '../platform/observability/metrics.ts'
import { inSpan } from '../platform/observability/tracing.ts'
import { claimMail, countQueuedMails, failMail, markSent, postponeMail, requeueLostMails } from '../store/mailOutbox.ts'
import { createMailer, explainCertificate, type Mailer } from './createMailer.ts'
import { sweep } from './sweep.ts'
import type { MailTemplate } from './templates/template.ts'

/** Maximum concurrent mails of a replica, so that one slow recipient does not delay the rest. */
const maxAtOnce = 10
const searchMs = 10_000
const sweepMs = 600_000
/**
 * Milliseconds to pause after each temporary failure. The first pauses are short, since a sign-in waits ten seconds for
 * its mail. The pauses of graphile-worker would begin with 2.7 and 7.4 seconds.
 */
const pausesMs = [500, 1_500, 4_000, 15_000, 60_000, 240_000, 900_000, 3_600_000, 3_600_000]

export declare namespace startMail {
  type Deps = {
    store: Pick<Store, 'db' | 'sessions'>
    logger?: Logger | undefined
    smtpUrl: string
    from: string
    /** 32 bytes shared only with custody. */
    sealKey: Uint8Array
    /** Custom templates by `templateId`. */
    templates?: Readonly<Record<string, MailTemplate>> | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Stops taking mails, and waits for running deliveries. */
    close(): Promise<void>
  }
}

/**
 * Starts the mail role, which sends the mails in custody's queue by SMTP. Any number of replicas may run; each mail is
 * sent by only one.
 */
export async function startMail(deps: startMail.Deps): Promise<startMail.ReturnType> {
  const { store, logger = silentLogger, sealKey, now = Date.now } = deps
  const mailer = createMailer(deps)
  const jobs = startJobs({
    store,
    logger,
    concurrency: maxAtOnce,
    // Each worker polls. New mails trigger a notification; only retries wait for a poll.
    pollMs: 2_000,
    tasks: {
      mail: ({ id }) => deliver({ db: store.db, mailer, id, sealKey, logger, now }),
      async sweep() {
        await sweep(store.db)
        await planSweep(store.db, sweepMs)
      },
    },
  })
  await planSweep(store.db, 0)
  const search = startSearch(store.db, logger)
  const endScrape = onScrape(async () => metrics.mailsWaiting.set(await countQueuedMails(store.db)))
  return {
    async close() {
      endScrape()
      await search.close()
      await jobs.close()
      mailer.close()
    },
  }
}

async function planSweep(db: Db, inMs: number): Promise<void> {
  await addJob(db, { name: 'sweep', payload: {}, key: 'sweep', inMs })
}

function startSearch(db: Db, logger: Logger): { close(): Promise<void> } {
  let searching: Promise<unknown> = Promise.resolve()
  function search(): void {
    searching = requeueLostMails(db).catch((error: unknown) => {
      logger.error({ cause: describeError(error) }, 'The email queue cannot be read')
    })
  }
  search()
  const timer = setInterval(search, searchMs)
  return {
    async close() {
      clearInterval(timer)
      await searching
    },
  }
}

type Delivery = {
  db: Db
  mailer: Mailer
  /** Id of the row in the outbox. */
  id: string
  sealKey: Uint8Array
  logger: Logger
  now: () => number
}

/**
 * Attempts to send one mail of the outbox. Temporary failures (no connection, no response, 4xx) are retried after
 * growing pauses, at most ten times and until the mail expires. Other failures are final. A failed mail revokes its
 * session key. After an unknown outcome, the recipient may already have the mail, so the next attempt uses the same
 * Message-ID.
 */
async function deliver(delivery: Delivery): Promise<void> {
  const { db, mailer, id, sealKey, logger, now } = delivery
  const row = await claimMail(db, id)
  if (!row) return
  if (row.cancelled) return fail(delivery, 'cancelled')
  if (row.tries > pausesMs.length + 1) return fail(delivery, 'interrupted')
  if (row.expires_at.getTime() <= now() || !row.payload_sealed) return fail(delivery, 'expired')
  let payload: MailPayload
  try {
    payload = openMail(sealKey, row, row.payload_sealed)
  } catch {
    return fail(delivery, 'unreadable')
  }
  const startedAt = performance.now()
  try {
    await inSpan('smtp', { kind: 'CLIENT' }, () => mailer.send({ id, payload, now: now() }))
  } catch (error) {
    const { failure, mayPass } = classify(error)
    const inMs = pausesMs[row.tries - 1] ?? Number.POSITIVE_INFINITY
    if (!mayPass || now() + inMs >= row.expires_at.getTime()) return fail(delivery, failure)
    await postponeMail(db, { id, inMs })
    metrics.mails.inc({ outcome: 'postponed' })
    return logger.warn({ mailId: id, failure, tries: row.tries }, 'An email could not be sent yet')
  }
  const ms = Math.round(performance.now() - startedAt)
  const isInTime = await markSent(db, id)
  metrics.mails.inc({ outcome: isInTime ? 'sent' : 'late' })
  if (isInTime) logger.info({ mailId: id, ms }, 'Email sent')
  else logger.warn({ mailId: id, ms }, 'An email was sent too late; its session key is revoked')
}

async function fail({ db, id, logger }: Delivery, failure: string): Promise<void> {
  if (!(await failMail(db, { id, failure }))) return
  metrics.mails.inc({ outcome: 'failed' })
  logger.error({ mailId: id, failure }, 'An email could not be sent; its session key, if it had one, is revoked')
}

/** Returns a short class of an SMTP failure. The server's own text may repeat the address, so it is not stored. */
function classify(error: unknown): { failure: string; mayPass: boolean } {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown }
  if (typeof responseCode === 'number')
    // RFC 5321 § 4.2.1; for a sign-in, RFC 4954 § 6.
    return { failure: `smtp ${responseCode}`, mayPass: responseCode >= 400 && responseCode < 500 }
  if (code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE' || code === 'REQUEST_INVALID')
    return { failure: String(code), mayPass: false }
  if (explainCertificate(error)) return { failure: 'untrusted certificate, see latchkey-server doctor', mayPass: true }
  return { failure: typeof code === 'string' ? code : 'unknown', mayPass: true }
}
