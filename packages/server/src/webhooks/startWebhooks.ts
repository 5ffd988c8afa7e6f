import type { RoleClock } from '../platform/database/devnetClock.ts'
import type { Db, Store } from '../platform/database/openStore.ts'
import { derive } from '../platform/derive.ts'
import { describeError } from '../platform/observability/describeError.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { metrics, onScrape } from '../platform/observability/metrics.ts'
import type { WebhookProject } from '../store/webhookEndpoints.ts'
import { countWebhooks, isWanted, sweepWebhooks } from '../store/webhookOutbox.ts'
import { createSender } from './createSender.ts'
import { followOperations } from './followOperations.ts'
import { readEndpoints } from './readEndpoints.ts'

const sweepMs = 600_000
const operationTypes = ['operation.included', 'operation.failed'] as const

export declare namespace startWebhooks {
  type Parameters = {
    store: Pick<Store, 'db'>
    logger?: Logger | undefined
    /**
     * Returns the projects, and secrets by their names in the projects. Called at each poll, since the result may
     * change.
     */
    readConfig(): {
      projects?: readonly WebhookProject[] | undefined
      secrets: Readonly<Record<string, string>>
    }
    /** In `development`, endpoints may be on this machine. @default 'production' */
    mode?: 'production' | 'development' | undefined
    clock: Pick<RoleClock, 'now' | 'onJump'>
    /** Milliseconds between polls. @default 1000 */
    pollMs?: number | undefined
  }
  type ReturnType = {
    /** Stops taking webhooks, and waits for running deliveries. */
    close(): Promise<void>
  }
}

/**
 * Starts the webhooks role, which sends webhooks that other roles queued and reports changes of operations. Any number
 * of replicas may run; only one of them sends a webhook at a time. @throws `CONFIG_INVALID`.
 */
export function startWebhooks(parameters: startWebhooks.Parameters): startWebhooks.ReturnType {
  const { store, logger = silentLogger, readConfig, clock, mode = 'production', pollMs = 1_000 } = parameters
  const { db } = store
  const readCurrent = derive(readConfig, ({ projects = [], secrets }) => ({
    endpoints: readEndpoints({ projects, secrets, mode }),
    followed: projects.filter((project) => operationTypes.some((type) => isWanted([project], type))),
  }))
  // Checks the configured endpoints at the start.
  readCurrent()
  const readAll = () => readCurrent().endpoints
  const sender = createSender({ db, readEndpoints: readAll, logger, now: clock.now, onEnd: () => plan(0) })
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let sweptAt = Number.NEGATIVE_INFINITY
  let working: Promise<void> = Promise.resolve()

  async function work(): Promise<void> {
    for (const project of readCurrent().followed) while (!isClosed && (await followOperations(db, project)));
    if (!isClosed) await sender.send()
    if (performance.now() - sweptAt < sweepMs) return
    sweptAt = performance.now()
    await sweepWebhooks(db)
  }

  function plan(inMs: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      working = working
        .then(work)
        .catch((error: unknown) => {
          logger.error({ cause: describeError(error) }, 'Webhooks cannot be read')
        })
        .then(() => plan(pollMs))
    }, inMs)
  }

  const endJumps = clock.onJump(() => plan(0))
  const endScrape = onScrape(() => measure(db))
  plan(0)
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      endJumps()
      endScrape()
      await working
      await sender.settle()
    },
  }
}

async function measure(db: Db): Promise<void> {
  const { waiting, dead, oldestSeconds } = await countWebhooks(db)
  metrics.webhooksWaiting.set(waiting)
  metrics.webhooksDead.set(dead)
  metrics.webhooksOldest.set(oldestSeconds)
}
