import { sql } from 'kysely'
import { listPendingMigrations } from '../platform/database/migrate.ts'
import { openStore, type Store, toDirectUrl } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { metrics, onScrape } from '../platform/observability/metrics.ts'
import { upsertProjects } from '../store/upsertProject.ts'
import { isStoreRole, type ProjectOptions, type ServerOptions, type StoreRole } from './options.ts'

/** Database connections of each role, so that a flooded role cannot use up another role's connections. */
export type Stores = ReadonlyMap<StoreRole, Store>

/** Maximum milliseconds of a statement while a user waits for it. */
const requestTimeoutMs = 2_000
/** Longer limits for roles that run sweeps, since no user waits for a sweep. */
const timeoutsMs: Partial<Record<StoreRole, number>> = { mail: 15_000, webhooks: 15_000 }

type Parameters = { options: ServerOptions; logger: Logger; onClose(closer: () => Promise<void>): void }

/**
 * Opens the database of every role that has one, as the role's own user if configured.
 *
 * @throws `DATABASE_UNREACHABLE`, `CONFIG_INVALID`.
 */
export async function openStores({ options, logger, onClose }: Parameters): Promise<Stores> {
  const stores = new Map<StoreRole, Store>()
  for (const role of new Set(options.roles)) {
    if (!isStoreRole(role)) continue
    const timeoutMs = timeoutsMs[role] ?? requestTimeoutMs
    const directHost = options.databaseDirectHost
    const store = await openStore({ databaseUrl: databaseUrl(options, role), directHost, timeoutMs, logger })
    onClose(() => store.close())
    const endScrape = onScrape(() => measurePool(role, store))
    onClose(async () => endScrape())
    if ((await listPendingMigrations(store.db)).length > 0)
      throw configInvalid('The database schema is missing or old. Run `latchkey-server migrate` first.')
    stores.set(role, store)
  }
  return stores
}

function measurePool(role: StoreRole, { pool }: Store): void {
  const { totalCount, idleCount, waitingCount } = pool
  const states = { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  for (const [state, count] of Object.entries(states)) metrics.databaseConnections.set({ role, state }, count)
}

/**
 * Returns the database URL of a role.
 *
 * @throws `CONFIG_INVALID`.
 */
export function databaseUrl({ databaseUrl, databaseUrls }: ServerOptions, role?: StoreRole): string {
  const url = (role && databaseUrls?.[role]) ?? databaseUrl
  if (url !== undefined) return url
  throw configInvalid('Every role but frames and console needs a database: give `databaseUrl` (DATABASE_URL).')
}

/**
 * Returns a role's database URL that bypasses the pooler, for work that needs a session.
 *
 * @throws `CONFIG_INVALID`.
 */
export function directUrl(options: ServerOptions, role?: StoreRole): string {
  const url = databaseUrl(options, role)
  return options.databaseDirectHost === undefined ? url : toDirectUrl(url, options.databaseDirectHost)
}

/**
 * Writes the configured projects for roles that read them from the database. Does nothing unless the database user is
 * custody's or the tables' owner, since no other user may write projects. @throws `CONFIG_INVALID`.
 */
export async function registerProjects(stores: Stores, projects: readonly ProjectOptions[] = []): Promise<void> {
  const store = stores.get('custody') ?? [...stores.values()][0]
  if (!store || projects.length === 0) return
  const { rows } = await sql<{ may: boolean }>`select has_table_privilege('projects', 'insert') as may`.execute(
    store.db,
  )
  if (rows[0]?.may) await upsertProjects(store.db, projects)
}
