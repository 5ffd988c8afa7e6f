import type { Db } from '../platform/database/openStore.ts'
import { describeError } from '../platform/observability/describeError.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { claimWebhooks } from '../store/webhookOutbox.ts'
import { deliverWebhook } from './deliverWebhook.ts'
import type { Endpoint } from './readEndpoints.ts'

/** Maximum concurrent webhooks of a replica, and to one endpoint. */
const maxAtOnce = 32
const maxAtOncePerEndpoint = 4

export declare namespace createSender {
  type Parameters = {
    db: Db
    /** Returns the endpoints in their current configuration. */
    readEndpoints(): readonly Endpoint[]
    logger: Logger
    /** Milliseconds since the epoch. */
    now: () => number
    /** Called when a delivery has ended, so that waiting webhooks are sent before the next poll. */
    onEnd(): void
  }
  type ReturnType = {
    /** Sends due webhooks, up to the limit. */
    send(): Promise<void>
    /** Waits until running deliveries end. */
    settle(): Promise<void>
  }
}

/** Returns a sender of webhooks that serves endpoints in parallel, so that a slow one does not delay others. */
export function createSender(parameters: createSender.Parameters): createSender.ReturnType {
  const { db, readEndpoints, logger, now, onEnd } = parameters
  /** Running deliveries by endpoint, including endpoints that have been removed. */
  const underWay = new Map<string, Set<Promise<void>>>()
  let turn = 0

  async function send(): Promise<void> {
    const most = maxAtOnce - [...underWay.values()].reduce((sum, { size }) => sum + size, 0)
    const endpoints = readEndpoints()
    const wanted = endpoints.flatMap((endpoint) => {
      const free = maxAtOncePerEndpoint - (underWay.get(toKey(endpoint))?.size ?? 0)
      return free > 0 ? [{ projectId: endpoint.projectId, endpoint: endpoint.id, most: free }] : []
    })
    if (wanted.length === 0 || most <= 0) return
    // Starts with a different endpoint each time, so that no endpoint is always last.
    turn = (turn + 1) % wanted.length
    const inTurn = [...wanted.slice(turn), ...wanted.slice(0, turn)]
    for (const row of await claimWebhooks(db, { wanted: inTurn, most })) {
      const endpoint = endpoints.find(({ id, projectId }) => id === row.endpoint && projectId === row.project_id)
      if (endpoint) deliver(row, endpoint)
    }
  }

  function deliver(row: claimWebhooks.ReturnType[number], endpoint: Endpoint): void {
    const key = toKey(endpoint)
    const own = underWay.get(key) ?? new Set()
    underWay.set(key, own)
    const delivery = deliverWebhook({ db, row, endpoint, logger, now })
      .catch((error: unknown) => {
        const cause = describeError(error)
        logger.error({ cause, webhookId: row.id }, 'A webhook could not be recorded; it is sent again')
      })
      .finally(() => {
        own.delete(delivery)
        if (own.size === 0) underWay.delete(key)
        onEnd()
      })
    own.add(delivery)
  }

  return {
    send,
    async settle() {
      await Promise.all([...underWay.values()].flatMap((own) => [...own]))
    },
  }
}

function toKey({ projectId, id }: Pick<Endpoint, 'projectId' | 'id'>): string {
  return JSON.stringify([projectId, id])
}
