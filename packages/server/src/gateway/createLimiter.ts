import { sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'
import { createTokenLeases } from '../platform/limits/createTokenLeases.ts'
import { type Limit, tooManyRequests } from '../platform/limits/rateLimit.ts'
import type { LimitHit } from '../store/createEventStream.ts'
import type { Caller } from './Caller.ts'
import { defaultLimits, type GatewayLimits } from './gatewayLimits.ts'

export declare namespace createLimiter {
  type Parameters = {
    db: Db
    /** Limits that override the defaults. */
    limits?: Partial<GatewayLimits> | undefined
    /** Called when a limit of a project refuses a request. */
    onHit?: ((hit: LimitHit) => void) | undefined
    /** Milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Counts a request before its key is checked. */
    takeRequest(ip: string | undefined): Promise<void>
    /** Counts a request's calls and their compute units. */
    takeCalls(caller: Caller, cost: { calls: number; units: number }): Promise<void>
  }
}

const sweepMs = 600_000

type Token = { name: Name; key: string; count: number } & Limit
type Name = keyof GatewayLimits

/**
 * Creates the gateway's rate limits, which its replicas share (see `createTokenLeases`).
 * @throws `RATE_LIMIT_EXCEEDED` (429), by both members.
 */
export function createLimiter({
  db,
  limits: given,
  onHit,
  now = () => performance.now(),
}: createLimiter.Parameters): createLimiter.ReturnType {
  const limits = { ...defaultLimits, ...given }
  const takeLeased = createTokenLeases({ db, table: 'gateway_limits', now })
  let sweptAt = now()

  async function take({ name, ...token }: Token, caller?: Caller): Promise<void> {
    const taken = await takeLeased(token)
    if (taken.ok) return
    const limit = `gateway.${name}` as const
    // Limits per IP address do not count as limits of the project.
    if (caller && !name.endsWith('PerIp')) onHit?.({ limit, projectId: caller.projectId })
    throw tooManyRequests(limit, taken.retryAfterMs)
  }

  async function sweep(): Promise<void> {
    if (now() - sweptAt < sweepMs) return
    sweptAt = now()
    await db.deleteFrom('gateway_limits').where('free_at', '<', sql<Date>`latchkey_now()`).execute()
  }

  return {
    async takeRequest(ip) {
      await sweep()
      if (ip !== undefined)
        await take({ name: 'requestsPerIp', key: `ip requests ${ip}`, count: 1, ...limits.requestsPerIp })
    },
    async takeCalls(caller, { calls, units }) {
      for (const token of listTokens(limits, caller, calls, units)) await take(token, caller)
    },
  }
}

function listTokens(
  limits: GatewayLimits,
  { projectId, keyId, key, ip }: Caller,
  calls: number,
  units: number,
): Token[] {
  const own = `${projectId} ${keyId}`
  const perMinute = (limit: number | null | undefined) => (limit ? { limit, windowMs: 60_000 } : {})
  return [
    ...(ip === undefined
      ? []
      : [{ name: 'unitsPerIp', key: `ip units ${ip}`, count: units, ...limits.unitsPerIp } as const]),
    {
      name: 'requestsPerKey',
      key: `key requests ${own}`,
      count: calls,
      ...limits.requestsPerKey,
      ...perMinute(key?.requestsPerMinute),
    },
    {
      name: 'unitsPerKey',
      key: `key units ${own}`,
      count: units,
      ...limits.unitsPerKey,
      ...perMinute(key?.unitsPerMinute),
    },
    { name: 'requestsPerProject', key: `project requests ${projectId}`, count: calls, ...limits.requestsPerProject },
    { name: 'unitsPerProject', key: `project units ${projectId}`, count: units, ...limits.unitsPerProject },
  ]
}
