import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { readErrorCounters, readSecurityCounters } from './securityEvents.ts'
import { inSpan } from './tracing.ts'

const registry = new Registry()
const registers = [registry]
const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * All metrics of this process. Labels are our own words and chain ids: no text from callers, and no users, addresses or
 * organizations.
 */
export const metrics = {
  requests: new Counter({
    name: 'latchkey_requests_total',
    help: 'Responses, by role, method, pattern of the path and status.',
    labelNames: ['role', 'method', 'route', 'status'],
    registers,
  }),
  requestSeconds: new Histogram({
    name: 'latchkey_request_seconds',
    help: 'Time until the response begins, by role and pattern of the path.',
    labelNames: ['role', 'route'],
    buckets: secondBuckets,
    registers,
  }),
  errors: new Counter({
    name: 'latchkey_errors_total',
    help: 'Errors that callers got, by code.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset()
      for (const [code, count] of readErrorCounters()) this.inc({ code }, count)
    },
  }),
  securityEvents: new Counter({
    name: 'latchkey_security_events_total',
    help: 'Events of the log (docs/operate/monitor.md).',
    labelNames: ['event'],
    registers,
    collect() {
      this.reset()
      for (const [event, count] of readSecurityCounters()) this.inc({ event }, count)
    },
  }),
  limitsHit: new Counter({
    name: 'latchkey_limits_hit_total',
    help: 'Refusals by a limit, by its name.',
    labelNames: ['limit'],
    registers,
  }),
  upstreamRequests: new Counter({
    name: 'latchkey_upstream_requests_total',
    help: 'Requests to nodes, bundlers and paymaster services, and of the signer API to custody: ok (also with an error object) or failed.',
    labelNames: ['kind', 'chain', 'outcome'],
    registers,
  }),
  upstreamSeconds: new Histogram({
    name: 'latchkey_upstream_seconds',
    help: 'Time that nodes, bundlers, paymaster services and custody take.',
    labelNames: ['kind', 'chain'],
    buckets: secondBuckets,
    registers,
  }),
  paymasterDeposit: new Gauge({
    name: 'latchkey_paymaster_deposit_coins',
    help: "A paymaster's deposit at its entry point in the chain's coin, read once a minute.",
    labelNames: ['chain', 'entry_point'],
    registers,
  }),
  mails: new Counter({
    name: 'latchkey_mails_total',
    help: 'Attempts to send an email: sent, late (its link no longer works), postponed or failed.',
    labelNames: ['outcome'],
    registers,
  }),
  mailsWaiting: new Gauge({
    name: 'latchkey_mails_waiting',
    help: 'Emails in the queue, counted up to 10,000.',
    registers,
  }),
  jobs: new Counter({
    name: 'latchkey_jobs_total',
    help: 'Jobs of the queue that ran here, by kind: done or failed (and tried again).',
    labelNames: ['job', 'outcome'],
    registers,
  }),
  jobSeconds: new Histogram({
    name: 'latchkey_job_seconds',
    help: 'Time that jobs take, by kind.',
    labelNames: ['job'],
    buckets: secondBuckets,
    registers,
  }),
  jobsWaiting: new Gauge({
    name: 'latchkey_jobs_waiting',
    help: 'Jobs that are due and not taken yet, counted up to 10,000.',
    registers,
  }),
  jobsOldest: new Gauge({
    name: 'latchkey_jobs_oldest_seconds',
    help: 'For how long the oldest of them is due.',
    registers,
  }),
  activities: new Counter({
    name: 'latchkey_activities_total',
    help: 'Completed custody activities, by type without its version. An activity that waits for votes or an email counts once completed.',
    labelNames: ['type'],
    registers,
  }),
  operations: new Counter({
    name: 'latchkey_operations_total',
    help: 'Operations that came into a state here, by chain.',
    labelNames: ['chain', 'state'],
    registers,
  }),
  operationsOpen: new Gauge({
    name: 'latchkey_operations_open',
    help: 'Operations that have not ended, by chain and state, counted up to 10,000.',
    labelNames: ['chain', 'state'],
    registers,
  }),
  sponsorshipReserved: new Gauge({
    name: 'latchkey_sponsorship_reserved_coins',
    help: "What the paymasters have signed for and not paid yet, at most, in the chain's coin.",
    labelNames: ['chain'],
    registers,
  }),
  sponsorshipSpent: new Counter({
    name: 'latchkey_sponsorship_spent_coins_total',
    help: "What included operations cost our paymasters, in the chain's coin, as booked here.",
    labelNames: ['chain'],
    registers,
  }),
  webhooks: new Counter({
    name: 'latchkey_webhooks_total',
    help: 'Tries to send a webhook: delivered, postponed, or dead after the last.',
    labelNames: ['outcome'],
    registers,
  }),
  webhooksWaiting: new Gauge({
    name: 'latchkey_webhooks_waiting',
    help: 'Webhooks in the queue, counted up to 10,000.',
    registers,
  }),
  webhooksDead: new Gauge({
    name: 'latchkey_webhooks_dead',
    help: 'Webhooks that were given up and wait for `webhooks replay`, counted up to 10,000.',
    registers,
  }),
  webhooksOldest: new Gauge({
    name: 'latchkey_webhooks_oldest_seconds',
    help: 'For how long the oldest webhook in the queue waits.',
    registers,
  }),
  keyEncryption: new Counter({
    name: 'latchkey_key_encryption_total',
    help: 'Calls of the key encryption: wrap or unwrap, ok or failed.',
    labelNames: ['call', 'outcome'],
    registers,
  }),
  needs: new Gauge({
    name: 'latchkey_need_met',
    help: 'Whether a role has what it needs besides its database (custody, key encryption, smtp, chain, admin API): 1 or 0, at most ten seconds old.',
    labelNames: ['role', 'need'],
    registers,
  }),
  configReloads: new Counter({
    name: 'latchkey_config_reloads_total',
    help: 'Changes of configuration files while the server ran: applied, or refused while the previous content stays in use.',
    labelNames: ['outcome'],
    registers,
  }),
  configCurrent: new Gauge({
    name: 'latchkey_config_current',
    help: 'Whether the configuration files are in use as they are: 1, or 0 after a change that was refused.',
    registers,
  }),
  clockAhead: new Gauge({
    name: 'latchkey_clock_ahead_seconds',
    help: "How far custody's clock is ahead of the database's, every ten minutes; less than 0 where it is behind.",
    registers,
  }),
  databaseConnections: new Gauge({
    name: 'latchkey_database_connections',
    help: "Connections of a role's pool (busy, idle) and requests that wait for one (waiting).",
    labelNames: ['role', 'state'],
    registers,
  }),
} as const

/** Counts a completed activity by type. Custody's table defines the types. */
export function countActivity(type: string): void {
  const name = type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '')
  metrics.activities.inc({ type: name.toLowerCase() })
}

/** Counts operations that entered a state; nothing if no row changed. */
export function countOperation(chain: string | number | undefined, state: string, count = 1): void {
  if (chain !== undefined && count > 0) metrics.operations.inc({ chain, state }, count)
}

const readers = new Set<() => Promise<void> | void>()

/** Calls `read` to set gauges before each scrape. Returns a function that stops the calls. */
export function onScrape(read: () => Promise<void> | void): () => void {
  readers.add(read)
  return () => void readers.delete(read)
}

/** Maximum milliseconds of a reader, so that an unresponsive database does not block other metrics. */
const readMs = 2_000

/** Responds to `GET /metrics` in Prometheus' text format; serve it on its own port, away from users. */
export async function respondWithMetrics({ method, url }: Request): Promise<Response> {
  if (method !== 'GET' || new URL(url).pathname !== '/metrics') return new Response('Not found', { status: 404 })
  const late = new Promise<void>((resolve) => setTimeout(resolve, readMs).unref())
  await Promise.all([...readers].map((read) => Promise.race([late, attempt(read)])))
  return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
}

async function attempt(read: () => Promise<void> | void): Promise<void> {
  try {
    await read()
  } catch {
    // Ignores the failure: the gauge retains its last value, and failures have their own metric and log line.
  }
}

/** Measures memory, CPU time, handles and event loop lag by prom-client's names. Call it once per process. */
export function measureProcess(): void {
  if (!registry.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics({ register: registry })
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Counts and times responses by route pattern; with tracing on, each is a span of the caller's trace. */
export function measureRequests(role: string): MiddlewareHandler {
  return async (context: Context, next) => {
    const startedAt = performance.now()
    const method = methods.has(context.req.method) ? context.req.method : 'OTHER'
    const span: inSpan.Options = {
      kind: 'SERVER',
      traceparent: context.req.header('traceparent'),
      attributes: {
        'latchkey.role': role,
        'latchkey.request_id': context.get('requestId'),
        'http.request.method': method,
      },
      atEnd: () => ({ 'http.route': routePath(context), 'http.response.status_code': context.res.status }),
    }
    await inSpan(`${method} ${role}`, span, next)
    // The last handler that ran. For a request refused by a limit, this is the limit's pattern.
    const route = routePath(context)
    metrics.requests.inc({ role, method, route, status: context.res.status })
    metrics.requestSeconds.observe({ role, route }, (performance.now() - startedAt) / 1000)
  }
}
