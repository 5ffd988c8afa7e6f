import { setTimeout } from 'node:timers/promises'
import { metrics, onScrape } from '../platform/observability/metrics.ts'
import type { CopyState } from '../store/serverCopies.ts'
import type { Stores } from './openStores.ts'
import type { Role } from './options.ts'

/** Maximum milliseconds of a check. */
const checkMs = 1_000
/**
 * Milliseconds for which a result is cached, since many balancers request `/readyz` at once and all replicas check the
 * same shared services.
 */
const keptMs = { own: 500, shared: 10_000 }
/** Milliseconds a response waits for checks of shared dependencies, since a balancer may time out after a second. */
const patienceMs = 200

/** A dependency that all replicas of a role share, other than its database. */
export type SharedNeed = {
  role: Role
  /** Label of the metric. */
  need: 'custody' | 'key encryption' | 'smtp' | 'chain' | 'admin API'
  /** Problem to report when the check fails, such as "its key encryption does not respond". Contains no URL. */
  problem: string
  /** Rejects if the dependency is not working. */
  check(): Promise<unknown>
}

export type Readiness = {
  /**
   * Responds to `GET /readyz`: 200 while balancers may send requests here, otherwise 503 with each role's problems. The
   * `lacking` member of a 200 response lists shared dependencies that are not working.
   */
  respond(): Promise<Response>
  /** Returns the body of the `GET /readyz` response as an object. */
  read(): Promise<CopyState>
  /** Makes `GET /readyz` respond 503 from now on, so that balancers send no more requests here. */
  drain(): void
  close(): void
}

/** Problems of one process under which `GET /readyz` still returns 200. */
export const copyProblems = {
  oldConfig: 'runs its previous configuration: a changed file was refused, see its log',
  proxy: 'reads no client address from X-Forwarded-For, so clients share the limits of the proxy: see its log',
} as const

/** Problems by role. */
type Problems = Record<string, string>

export declare namespace createReadiness {
  type Options = {
    /** @default none */
    shared?: readonly SharedNeed[] | undefined
    /** Milliseconds that the result of a shared dependency's check is cached. @default 10000 */
    sharedKeptMs?: number | undefined
    /** Returns the problems of this process alone. @default none */
    findCopyProblems?: (() => (keyof typeof copyProblems)[]) | undefined
  }
}

/**
 * Returns the readiness check for balancers. A replica is ready while the database of each role accepts writes and the
 * server is not shutting down. Problems of shared services, such as custody, SMTP or nodes, are reported but do not
 * make a replica unready: they affect all replicas, and removing all of them would also stop requests that still work.
 */
export function createReadiness(stores: Stores, options: createReadiness.Options = {}): Readiness {
  const { shared = [], sharedKeptMs = keptMs.shared, findCopyProblems } = options
  const findOwn = keep(keptMs.own, () => findProblems(stores))
  let lacking: Problems = {}
  const lookAtShared = keep(sharedKeptMs, async () => {
    lacking = await findLacking(shared)
    return lacking
  })
  let isDraining = false
  const endScrape = onScrape(async () => {
    if (shared.length > 0) await lookAtShared()
  })

  return {
    async respond() {
      const body = await read()
      const status = body.status === 'ready' ? 200 : 503
      return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
    },
    read,
    drain() {
      isDraining = true
    },
    close: endScrape,
  }

  async function read(): Promise<CopyState> {
    const problems = isDraining ? { server: 'is ending' } : await findOwn()
    const isReady = Object.keys(problems).length === 0
    // If a check hangs, the next response reports it.
    if (isReady && shared.length > 0) await Promise.race([lookAtShared(), setTimeout(patienceMs)])
    // The response is public, so it contains only general texts.
    const own = (findCopyProblems?.() ?? []).map((name) => copyProblems[name]).join('; ')
    const all = { ...lacking, ...(own && { server: own }) }
    const isWhole = Object.keys(all).length === 0
    return isReady ? { status: 'ready', ...(!isWhole && { lacking: all }) } : { status: 'not ready', problems }
  }
}

function keep(forMs: number, find: () => Promise<Problems>): () => Promise<Problems> {
  let latest: { found: Promise<Problems>; until: number } | undefined
  let isLooking = false
  return () => {
    const at = performance.now()
    if (!latest || (latest.until < at && !isLooking)) {
      isLooking = true
      const found = find().finally(() => {
        isLooking = false
      })
      latest = { found, until: at + forMs }
    }
    return latest.found
  }
}

async function findProblems(stores: Stores): Promise<Problems> {
  const found: Problems = {}
  await Promise.all(
    [...stores].map(async ([role, { pool, sessions }]) => {
      const asked = inTime(pool.query<{ transaction_read_only: string }>('show transaction_read_only'))
      // Also checks the direct connection, which queue workers and listeners use to bypass the pooler.
      const reached = sessions === pool ? asked : inTime(sessions.query('select'))
      const [first, second] = await Promise.allSettled([asked, reached])
      if (first.status === 'rejected') found[role] = 'its database does not respond'
      else if (first.value.rows[0]?.transaction_read_only === 'on') found[role] = 'its database takes no writes'
      else if (second.status === 'rejected') found[role] = 'its database does not respond past the pooler'
    }),
  )
  return found
}

async function findLacking(shared: readonly SharedNeed[]): Promise<Problems> {
  const found = await Promise.all(
    shared.map(async ({ role, need, problem, check }) => {
      const isMissing = await inTime(check()).then(
        () => false,
        () => true,
      )
      metrics.needs.set({ role, need }, isMissing ? 0 : 1)
      return isMissing ? { role, problem } : undefined
    }),
  )
  const lacking: Problems = {}
  for (const each of found) if (each) lacking[each.role] = [lacking[each.role] ?? [], each.problem].flat().join('; ')
  return lacking
}

function inTime<result>(pending: Promise<result>): Promise<result> {
  pending.catch(() => undefined)
  const late = new Promise<never>((_, reject) => {
    globalThis.setTimeout(() => reject(new TypeError('late')), checkMs).unref()
  })
  return Promise.race([pending, late])
}
