import type { Db } from '../platform/database/openStore.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { WebhookProject } from './webhookEndpoints.ts'
import { isWanted, queueWebhooks, type WebhookOccurrence } from './webhookOutbox.ts'

/** A limit of a project, or of one of its gas policies, that refused a request. */
export type LimitHit = { limit: string; projectId: string; policyId?: string | undefined }

const hourMs = 3_600_000

export declare namespace createEventStream {
  type Parameters = {
    db: Db
    /** Returns the projects. Called at each event, since the result may change. */
    readProjects(): readonly WebhookProject[] | undefined
    logger: Logger
    /** Milliseconds since the epoch. */
    now: () => number
  }
  type ReturnType = {
    /** Sends a project's webhook, at most once an hour for each limit. */
    hitLimit(hit: LimitHit): void
    /** Sends a webhook to all projects, at most once in the given hours. */
    tellAll(occurrence: WebhookOccurrence & { type: 'deposit.low' }, everyHours: number): void
  }
}

/**
 * Creates the stream of events outside of transactions. Events are queued asynchronously, so requests do not wait. A
 * flood of refusals costs one statement an hour: queued events are cached in memory, and the database deduplicates the
 * events of all replicas.
 */
export function createEventStream({
  db,
  readProjects,
  logger,
  now,
}: createEventStream.Parameters): createEventStream.ReturnType {
  const queued = new Map<string, number>()

  function queue(some: readonly WebhookProject[], occurrence: WebhookOccurrence, everyHours: number): void {
    if (!isWanted(some, occurrence.type)) return
    const period = Math.floor(now() / (everyHours * hourMs))
    const key = `${some.length === 1 ? some[0]?.id : ''} ${occurrence.once}`
    if (queued.get(key) === period) return
    queued.set(key, period)
    queueWebhooks(db, some, [{ ...occurrence, once: `${occurrence.once} ${period}` }]).catch(() => {
      queued.delete(key)
      logger.warn({}, 'A webhook could not be queued; the next event of its kind is')
    })
  }

  return {
    hitLimit({ limit, projectId, policyId }) {
      const own = (readProjects() ?? []).filter(({ id }) => id === projectId)
      const once = `limit ${limit} ${policyId ?? ''}`
      queue(own, { type: 'limit.hit', once, data: { limit, policyId: policyId ?? null } }, 1)
    },
    tellAll: (occurrence, everyHours) => queue(readProjects() ?? [], occurrence, everyHours),
  }
}
