import { createBatcher } from '../database/createBatcher.ts'
import type { Db } from '../database/openStore.ts'
import { type takeToken, takeTokens } from './takeToken.ts'

export declare namespace createTokenLeases {
  type Parameters = {
    db: Db
    table: NonNullable<takeToken.Parameters['table']>
    /** Milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
  /** `takeToken` from memory, mostly. */
  type ReturnType = (token: takeTokens.Token) => Promise<takeToken.ReturnType>
}

/** Of a limit: what a copy takes from the database at once, to hand out from memory. */
const leaseShare = 1 / 60
const maxLeases = 10_000

type Token = takeTokens.Token & { count: number }
type Lease = {
  left: number
  /** Until then, so much or more is refused. */
  refusedUntil: number
  refused: number
  waiting: number
  turn: Promise<unknown>
}

/**
 * {@link takeToken} for limits of every request: each copy of the server takes a second's share of a limit from the
 * database at a time, so that most requests cost no statement, and copies together get no more than there is. Limits of
 * less than a token a second have no share. A limit that is used up is refused from memory until it has something again.
 *
 * Not for tokens that are given back by `returnToken`, which memory would not see.
 */
export function createTokenLeases({
  db,
  table,
  now = () => performance.now(),
}: createTokenLeases.Parameters): createTokenLeases.ReturnType {
  const leases = new Map<string, Lease>()
  // A key is fetched once at a time, so the keys of a batch differ.
  const fetch = createBatcher((tokens: readonly Token[]) => takeTokens(db, tokens, table))

  /** Undefined when the database has to be asked. */
  function takeHere(lease: Lease, { count }: Token): takeToken.ReturnType | undefined {
    if (lease.left >= count) {
      lease.left -= count
      return { ok: true }
    }
    const retryAfterMs = lease.refusedUntil - now()
    // Something cheaper may still fit.
    return retryAfterMs > 0 && count >= lease.refused ? { ok: false, retryAfterMs } : undefined
  }

  async function takeShare(lease: Lease, token: Token): Promise<takeToken.ReturnType> {
    const missing = token.count - lease.left
    const share = Math.max(missing, Math.ceil(token.limit * leaseShare))
    const taken = await fetch({ ...token, count: share })
    if (taken.ok) return grant(lease, token, share)
    // Of what is refused, each token less is there so much earlier.
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
    // One after the other: a share that one fetches is there for the next.
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

/** The one that was not used for the longest time gives way: its rest is lost, and nothing more. */
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
