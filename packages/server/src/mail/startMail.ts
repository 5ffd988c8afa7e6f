import { type Logger, silentLogger } from '../http/logger.ts'
import { addJob } from '../store/jobs.ts'
import { requeueLostMails } from '../store/mailOutbox.ts'
import type { Db, Store } from '../store/openStore.ts'
import { startJobs } from '../store/startJobs.ts'
import { sweep } from '../store/sweep.ts'
import { createMailer } from './createMailer.ts'
import { deliver } from './deliver.ts'
import type { MailTemplate } from './templates/template.ts'

/** Mails one copy sends at a time; one slow recipient must not hold up the rest. */
const maxAtOnce = 10
const searchMs = 10_000
const sweepMs = 600_000

export declare namespace startMail {
  type Deps = {
    store: Pick<Store, 'db' | 'pool'>
    logger?: Logger | undefined
    smtpUrl: string
    from: string
    /** 32 bytes shared with custody only. */
    sealKey: Uint8Array
    /** Own templates by `templateId`. */
    templates?: Readonly<Record<string, MailTemplate>> | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Stops taking mails and waits for those under way. */
    close(): Promise<void>
  }
}

/**
 * The mail role: takes what custody queued and hands it to SMTP. Any number of copies may run; each mail is taken by one.
 */
export async function startMail(deps: startMail.Deps): Promise<startMail.ReturnType> {
  const { store, logger = silentLogger, sealKey, now = Date.now } = deps
  const mailer = createMailer(deps)
  const jobs = startJobs({
    store,
    logger,
    concurrency: maxAtOnce,
    pollMs: 500,
    tasks: {
      mail: ({ id }) => deliver({ db: store.db, mailer, id, sealKey, logger, now }),
      async sweep() {
        await sweep(store.db)
        await planSweep(store.db, sweepMs)
      },
    },
  })
  await planSweep(store.db, 0)
  let searching: Promise<unknown> = Promise.resolve()
  function search(): void {
    searching = requeueLostMails(store.db).catch((error: unknown) => {
      logger.error({ cause: error instanceof Error ? error.stack : undefined }, 'The mail queue cannot be read')
    })
  }
  search()
  const timer = setInterval(search, searchMs)
  return {
    async close() {
      clearInterval(timer)
      await searching
      await jobs.close()
      mailer.close()
    },
  }
}

/** One for all copies: a sweep that is planned already is moved. */
async function planSweep(db: Db, inMs: number): Promise<void> {
  await addJob(db, { name: 'sweep', payload: {}, key: 'sweep', runAt: new Date(Date.now() + inMs) })
}
