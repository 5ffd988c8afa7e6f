import { type Logger, silentLogger } from '../http/logger.ts'
import type { Store } from '../store/openStore.ts'
import { mailChannel } from '../store/outbox/channel.ts'
import { subscribe } from '../store/subscribe.ts'
import { createMailer } from './createMailer.ts'
import { deliver } from './deliver.ts'
import { claimMails, type OutboxRow } from './outbox.ts'

/** Mails one copy sends at a time. */
const maxAtOnce = 10

export declare namespace startMail {
  type Deps = {
    store: Pick<Store, 'db' | 'databaseUrl'>
    logger?: Logger | undefined
    smtpUrl: string
    from: string
    /** 32 bytes shared with custody only. */
    sealKey: Uint8Array
    /** Looks for mails this often even without a notification. @default 2000 */
    pollMs?: number | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Stops taking mails and waits for those under way. */
    close(): Promise<void>
  }
}

/**
 * The mail role: takes what custody queued, on a notification or by poll, and hands it to SMTP. Any number of copies
 * may run; each mail is taken by one.
 */
export async function startMail(deps: startMail.Deps): Promise<startMail.ReturnType> {
  const { store, logger = silentLogger, sealKey, pollMs = 2_000, now = Date.now } = deps
  const mailer = createMailer({ smtpUrl: deps.smtpUrl, from: deps.from })
  const inFlight = new Set<Promise<void>>()
  let closed = false
  let again = false
  let taking: Promise<void> | undefined

  async function take(): Promise<void> {
    do {
      again = false
      const free = maxAtOnce - inFlight.size
      const rows = free > 0 ? await claimMails(store.db, free) : []
      for (const row of rows) launch(row)
    } while (again && !closed)
  }

  /** Mails do not wait for each other: one slow recipient must not hold up the rest. */
  function launch(row: OutboxRow): void {
    const sending = deliver({ db: store.db, mailer, row, sealKey, logger, now })
      .catch((error: unknown) => logError(error, "A mail's state cannot be stored"))
      .finally(() => {
        const wasFull = inFlight.size === maxAtOnce
        inFlight.delete(sending)
        if (wasFull) wake()
      })
    inFlight.add(sending)
  }

  function wake(): void {
    again = true
    if (closed || taking) return
    taking = take()
      .catch((error: unknown) => logError(error, 'The mail queue cannot be read'))
      .finally(() => {
        taking = undefined
      })
  }

  function logError(error: unknown, message: string): void {
    logger.error({ cause: error instanceof Error ? error.stack : undefined }, message)
  }

  const subscription = await subscribe({ databaseUrl: store.databaseUrl, channel: mailChannel, onNotify: wake, logger })
  const timer = setInterval(wake, pollMs)
  return {
    async close() {
      closed = true
      clearInterval(timer)
      await subscription.close()
      await taking
      await Promise.all(inFlight)
      mailer.close()
    },
  }
}
