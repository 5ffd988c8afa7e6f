import { type Logger, silentLogger } from '../http/logger.ts'
import { startJobs } from '../store/jobs/startJobs.ts'
import type { Store } from '../store/openStore.ts'
import { requeueLostMails } from '../store/outbox/requeueLostMails.ts'
import { sweep } from '../store/outbox/sweep.ts'
import { createMailer } from './createMailer.ts'
import { deliver } from './deliver.ts'
import type { MailTemplate } from './templates/template.ts'

/** Mails one copy sends at a time; one slow recipient must not hold up the rest. */
const maxAtOnce = 10
const searchMs = 10_000

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
  const jobs = await startJobs({
    store,
    logger,
    concurrency: maxAtOnce,
    pollMs: 500,
    crontab: '*/10 * * * * sweep',
    tasks: {
      mail: ({ id }) => deliver({ db: store.db, mailer, id, sealKey, logger, now }),
      sweep: () => sweep(store.db),
    },
  })
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
