import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import { notPublic, publicLookup } from '../platform/http/publicLookup.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { metrics } from '../platform/observability/metrics.ts'
import { inSpan } from '../platform/observability/tracing.ts'
import { type claimWebhooks, markDead, markDelivered, postponeWebhook } from '../store/webhookOutbox.ts'
import type { Endpoint } from './readEndpoints.ts'
import { signWebhook } from './signWebhook.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Milliseconds to pause after each failure, varied by up to a fifth; about a day in total. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour]
/** Timeout of a delivery, in milliseconds. */
const timeoutMs = 10_000
/** Maximum size of a response, whose content is ignored. */
const maxBytes = 65_536

export declare namespace deliverWebhook {
  type Parameters = {
    db: Db
    row: claimWebhooks.ReturnType[number]
    endpoint: Endpoint
    logger: Logger
    /** Milliseconds since the epoch. */
    now: () => number
  }
}

/**
 * Attempts to deliver one claimed webhook. Any 2xx status counts as received, and 410 abandons the webhook immediately.
 * All other outcomes are retried later.
 */
export async function deliverWebhook({ db, row, endpoint, logger, now }: deliverWebhook.Parameters): Promise<void> {
  const { id, tries } = row
  const fields = { webhookId: id, projectId: row.project_id, endpoint: row.endpoint, tries }
  const span = { kind: 'CLIENT', attributes: { 'latchkey.webhook.type': row.type } } as const
  const failure = await inSpan('webhook', span, () => post(row, endpoint, now()))
  if (failure === undefined) {
    await markDelivered(db, { id, tries })
    metrics.webhooks.inc({ outcome: 'delivered' })
    return logger.info(fields, 'Webhook delivered')
  }
  const pauseMs = failure === 'status 410' ? undefined : pausesMs[tries - 1]
  if (pauseMs === undefined) {
    await markDead(db, { id, tries, failure })
    metrics.webhooks.inc({ outcome: 'dead' })
    return logger.error({ ...fields, failure }, 'A webhook was given up; `webhooks replay` sends it again')
  }
  await postponeWebhook(db, { id, tries, failure, inMs: pauseMs * (0.8 + 0.4 * Math.random()) })
  metrics.webhooks.inc({ outcome: 'postponed' })
  logger.warn({ ...fields, failure }, 'A webhook was not taken yet')
}

async function post(
  row: deliverWebhook.Parameters['row'],
  { url, keys, isLocal }: Endpoint,
  now: number,
): Promise<string | undefined> {
  const { id, type, data } = row
  const body = JSON.stringify({
    id,
    type,
    timestamp: row.created_at.toISOString(),
    projectId: row.project_id,
    data,
  })
  try {
    const { status } = await fetchBounded(url, {
      what: 'The webhook',
      timeoutMs,
      maxBytes,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signWebhook({ id, body, keys, now }) },
      body,
      connection: isLocal ? undefined : { lookup: publicLookup },
    })
    return status >= 200 && status < 300 ? undefined : `status ${status}`
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    const { code } = (error.cause ?? {}) as { code?: unknown }
    return code === notPublic ? notPublic : error.code
  }
}
