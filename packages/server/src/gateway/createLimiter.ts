import { sql } from 'kysely'
import { type Limit, tooManyRequests } from '../http/rateLimit.ts'
import { createTokenLeases } from '../store/createTokenLeases.ts'
import type { Db } from '../store/openStore.ts'
import type { Caller } from './Caller.ts'
import { defaultLimits, type GatewayLimits } from './limits.ts'

export declare namespace createLimiter {
  type Parameters = {
    db: Db
    /** Limits that differ from the usual ones. */
    limits?: Partial<GatewayLimits> | undefined
    /** Milliseconds. @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Counts a request before its key is known. */
    takeRequest(ip: string | undefined): Promise<void>
    /** Counts the calls of a request and their compute units. */
    takeCalls(caller: Caller, cost: { calls: number; units: number }): Promise<void>
  }
}

const sweepMs = 600_000

type Token = { key: string; count: number } & Limit

/**
 * The gateway's limits, which hold across its copies, see `createTokenLeases`.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), by both members.
 */
export function createLimiter({
  db,
  limits: given,
  now = Date.now,
}: createLimiter.Parameters): createLimiter.ReturnType {
  const limits = { ...defaultLimits, ...given }
  const takeLeased = createTokenLeases({ db, table: 'gateway_limits', now })
  let sweptAt = now()

  async function take(token: Token): Promise<void> {
    const taken = await takeLeased(token)
    if (!taken.ok) throw tooManyRequests(taken.retryAfterMs)
  }

  async function sweep(): Promise<void> {
    if (now() - sweptAt < sweepMs) return
    sweptAt = now()
    await db.deleteFrom('gateway_limits').where('free_at', '<', sql<Date>`now()`).execute()
  }

  return {
    async takeRequest(ip) {
      await sweep()
      if (ip !== undefined) await take({ key: `ip requests ${ip}`, count: 1, ...limits.requestsPerIp })
    },
    async takeCalls(caller, { calls, units }) {
      for (const token of listTokens(limits, caller, calls, units)) await take(token)
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
    ...(ip === undefined ? [] : [{ key: `ip units ${ip}`, count: units, ...limits.unitsPerIp }]),
    { key: `key requests ${own}`, count: calls, ...limits.requestsPerKey, ...perMinute(key?.requestsPerMinute) },
    { key: `key units ${own}`, count: units, ...limits.unitsPerKey, ...perMinute(key?.unitsPerMinute) },
    { key: `project requests ${projectId}`, count: calls, ...limits.requestsPerProject },
    { key: `project units ${projectId}`, count: units, ...limits.unitsPerProject },
  ]
}
