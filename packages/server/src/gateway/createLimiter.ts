import { sql } from 'kysely'
import { type Limit, tooManyRequests } from '../http/rateLimit.ts'
import type { Db } from '../store/openStore.ts'
import { takeToken } from '../store/takeToken.ts'
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

/** Of a limit: what a copy takes from the database at once, to hand out from memory. */
const leaseShare = 1 / 60
const maxLeases = 10_000
const sweepMs = 600_000

type Token = { key: string; count: number } & Limit
type Lease = {
  left: number
  /** Until then, so much or more is refused. */
  refusedUntil: number
  refused: number
  waiting: number
  turn: Promise<void>
}

/**
 * The gateway's limits, which hold across its copies: each takes a second's share from the database at a time, so that
 * most calls cost no statement. A limit that is used up is refused from memory until it has something again.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), by both members.
 */
export function createLimiter({
  db,
  limits: given,
  now = Date.now,
}: createLimiter.Parameters): createLimiter.ReturnType {
  const limits = { ...defaultLimits, ...given }
  const leases = new Map<string, Lease>()
  let sweptAt = now()

  async function take(token: Token): Promise<void> {
    if (token.count > token.limit) throw tooManyRequests(token.windowMs)
    const lease = findLease(leases, token.key)
    if (lease.waiting === 0 && takeHere(lease, token)) return
    // One after the other: a share that one fetches is there for the next.
    lease.waiting += 1
    const turn = lease.turn.then(async () => {
      if (!takeHere(lease, token)) await fetchShare(lease, token)
    })
    lease.turn = turn.catch(() => undefined)
    try {
      await turn
    } finally {
      lease.waiting -= 1
    }
  }

  /** Whether memory had enough. */
  function takeHere(lease: Lease, { count }: Token): boolean {
    if (lease.left < count) {
      // Something cheaper may still fit.
      if (lease.refusedUntil > now() && count >= lease.refused) throw tooManyRequests(lease.refusedUntil - now())
      return false
    }
    lease.left -= count
    return true
  }

  async function fetchShare(lease: Lease, { key, count, limit, windowMs }: Token): Promise<void> {
    await sweep()
    const missing = count - lease.left
    const share = Math.max(missing, Math.ceil(limit * leaseShare))
    for (const wanted of share > missing ? [share, missing] : [missing]) {
      const taken = await takeToken(db, { key, limit, windowMs, count: wanted, table: 'gateway_limits' })
      if (taken.ok) {
        lease.left += wanted - count
        return
      }
      if (wanted > missing) continue
      Object.assign(lease, { refused: count, refusedUntil: now() + taken.retryAfterMs })
      throw tooManyRequests(taken.retryAfterMs)
    }
  }

  async function sweep(): Promise<void> {
    if (now() - sweptAt < sweepMs) return
    sweptAt = now()
    await db.deleteFrom('gateway_limits').where('free_at', '<', sql<Date>`now()`).execute()
  }

  return {
    async takeRequest(ip) {
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

/** The one that was not used for the longest time gives way: its rest is lost, and nothing more. */
function findLease(leases: Map<string, Lease>, key: string): Lease {
  const lease = leases.get(key) ?? { left: 0, refusedUntil: 0, refused: 0, waiting: 0, turn: Promise.resolve() }
  leases.delete(key)
  leases.set(key, lease)
  const [oldest] = leases.keys()
  if (leases.size > maxLeases && oldest !== undefined) leases.delete(oldest)
  return lease
}
