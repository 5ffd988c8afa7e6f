import { createBatcher } from '../database/createBatcher.ts'
import type { Db } from '../database/openStore.ts'
import { type takeToken, takeTokens } from './takeToken.ts'

export declare namespace createTokenLeases {
  type Parameters = {
    db: Db
    table: NonNullable<takeToken.Parameters['table']>
    /** Clock in milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
  /** Takes tokens, mostly from memory. */
  type ReturnType = (token: takeTokens.Token) => Promise<takeToken.ReturnType>
}

/** Share of a limit that a replica takes from the database in one step. */
const leaseShare = 1 / 60
const maxLeases = 10_000

type Token = takeTokens.Token & { count: number }
type Lease = {
  left: number
  /** Time until which requests for at least `refused` tokens are refused. */
  refusedUntil: number
  refused: number
  waiting: number
  turn: Promise<unknown>
}

/**
 * Returns a {@link takeToken} for limits of every request. Each replica takes a second's share of a limit from the
 * database at a time, so most requests need no statement, and replicas together never exceed the limit. Limits below
 * one token per second have no share. An exhausted limit is refused from memory until it refills.
 *
 * Not for limits with `returnToken`, since a replica's memory would not include the returned tokens.
 */
export function createTokenLeases({
  db,
  table,
  now = () => performance.now(),
}: createTokenLeases.Parameters): createTokenLeases.ReturnType {
  const leases = new Map<string, Lease>()
  // Each key has only one fetch at a time, so the keys of a batch are distinct.
  const fetch = createBatcher((tokens: readonly Token[]) => takeTokens(db, tokens, table))

  /** Returns undefined if the database must decide. */
  function takeHere(lease: Lease, { count }: Token): takeToken.ReturnType | undefined {
    if (lease.left >= count) {
      lease.left -= count
      return { ok: true }
    }
    const retryAfterMs = lease.refusedUntil - now()
    // A request for fewer tokens than the refused one may still succeed.
    return retryAfterMs > 0 && count >= lease.refused ? { ok: false, retryAfterMs } : undefined
  }

  async function takeShare(lease: Lease, token: Token): Promise<takeToken.ReturnType> {
    const missing = token.count - lease.left
    const share = Math.max(missing, Math.ceil(token.limit * leaseShare))
    const taken = await fetch({ ...token, count: share })
    if (taken.ok) return grant(lease, token, share)
    // The wait for the missing tokens alone is shorter than for the whole share.
    const retryAfterMs = taken.retryAfterMs - ((share - missing) * token.windowMs) / token.limit
    const rest = share > missing && retryAfterMs <= 0 ? await fetch({ ...token, count: missing }) : undefined
    if (rest?.ok) return grant(lease, token, missing)
    const refused = rest ?? { ok: false, retryAfterMs: Math.ceil(retryAfterMs) }
    Object.assign(lease, { refused: token.count, refusedUntil: now() + refused.retryAfterMs })
    return refused
  }

  return async ({ count = 1, ...limit }) => {
    const token = { ...limit, count }
    if (count > limit.limit) return { ok: false, retryAfterMs: limit.windowMs }
    const lease = findLease(leases, limit.key)
    const here = lease.waiting === 0 ? takeHere(lease, token) : undefined
    if (here) return here
    // Requests of a lease fetch one after another, since a fetched share also serves the next request.
    lease.waiting += 1
    const turn = lease.turn.then(() => takeHere(lease, token) ?? takeShare(lease, token))
    lease.turn = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      lease.waiting -= 1
    }
  }
}

function grant(lease: Lease, { count }: Token, fetched: number): takeToken.ReturnType {
  lease.left += fetched - count
  return { ok: true }
}

/** Evicts the least recently used lease; only its remaining tokens are lost. */
function findLease(leases: Map<string, Lease>, key: string): Lease {
  const lease = leases.get(key) ?? { left: 0, refusedUntil: 0, refused: 0, waiting: 0, turn: Promise.resolve() }
  leases.delete(key)
  leases.set(key, lease)
  if (leases.size > maxLeases)
    for (const [oldest, { waiting }] of leases) {
      if (waiting > 0) continue
      leases.delete(oldest)
      break
    }
  return lease
}
