import { type Logger, silentLogger } from '../http/logger.ts'
import type { Store } from '../store/openStore.ts'
import { mailChannel } from '../store/outbox/channel.ts'
import { subscribe } from '../store/subscribe.ts'
import { createMailer } from './createMailer.ts'
import { deliver } from './deliver.ts'
import { claimMails } from './outbox.ts'

const batchSize = 10

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
  let closed = false
  let again = false
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    do {
      again = false
      const rows = await claimMails(store.db, batchSize)
      await Promise.all(rows.map((row) => deliver({ db: store.db, mailer, row, sealKey, logger, now })))
      if (rows.length === batchSize) again = true
    } while (again && !closed)
  }

  function wake(): void {
    again = true
    if (closed || running) return
    running = drain()
      .catch((error: unknown) => logger.error({ cause: (error as Error)?.stack }, 'The mail queue cannot be read'))
      .finally(() => {
        running = undefined
      })
  }

  const subscription = await subscribe({ databaseUrl: store.databaseUrl, channel: mailChannel, onNotify: wake, logger })
  const timer = setInterval(wake, pollMs)
  return {
    async close() {
      closed = true
      clearInterval(timer)
      await subscription.close()
      await running
      mailer.close()
    },
  }
}
