import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'
import type { ProjectTable } from '../platform/database/tables.ts'

/** An application that may use the server, identified by its API key. */
export type Project = {
  id: string
  name: string
  redirectUrls: string[]
  allowedOrigins: string[]
  /** Parent organization of its users; null for the server's root organization. */
  organizationId: string | null
  /** https, shown in e-mails. */
  logoUrl: string | null
  /** Whether responses hide which addresses have an account. */
  hidesAccounts: boolean
}

/** All columns except the digest of the key, which the admin API may not read. */
const columns = [
  'id',
  'name',
  'redirect_urls',
  'allowed_origins',
  'organization_id',
  'logo_url',
  'hides_accounts',
] as const

export async function findProjectById(db: Db, id: string): Promise<Project | null> {
  const row = await db.selectFrom('projects').select(columns).where('id', '=', id).executeTakeFirst()
  return row ? toProject(row) : null
}

/** A project with its timestamps. */
export type ListedProject = Project & { createdAt: Date; updatedAt: Date }

/** Returns projects sorted by id, starting after `after`. */
export async function listProjects(
  db: Db,
  { limit, after, id }: { limit: number; after?: string | undefined; id?: string | undefined },
): Promise<ListedProject[]> {
  let query = db.selectFrom('projects').select([...columns, 'created_at', 'updated_at'])
  if (after !== undefined) query = query.where('id', '>', after)
  if (id !== undefined) query = query.where('id', '=', id)
  const rows = await query.orderBy('id').limit(limit).execute()
  return rows.map((row) => ({ ...toProject(row), createdAt: row.created_at, updatedAt: row.updated_at }))
}

/** Returns the project with an API key, or null. Looked up by digest, so the timing reveals nothing about the key. */
export async function findProjectByApiKey(db: Db, apiKey: string): Promise<Project | null> {
  const row = await db
    .selectFrom('projects')
    .selectAll()
    .where('api_key_hash', '=', hashApiKey(apiKey))
    .executeTakeFirst()
  return row ? toProject(row) : null
}

/**
 * Returns the project that allows an origin. Returns null if no project or several projects allow it, since then only
 * the API key identifies the project.
 */
export async function findProjectByOrigin(db: Db, origin: string): Promise<Project | null> {
  const rows = await db
    .selectFrom('projects')
    .selectAll()
    .where(sql<boolean>`${origin} = any(allowed_origins)`)
    .limit(2)
    .execute()
  return rows[0] && rows.length === 1 ? toProject(rows[0]) : null
}

export function toProject(row: Omit<Selectable<ProjectTable>, 'api_key_hash' | 'created_at' | 'updated_at'>): Project {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: row.redirect_urls,
    allowedOrigins: row.allowed_origins,
    organizationId: row.organization_id,
    logoUrl: row.logo_url,
    hidesAccounts: row.hides_accounts,
  }
}

/** Returns SHA-256 of a project's API key. The keys are random and long, so a plain digest suffices to hide them. */
export function hashApiKey(apiKey: string): Uint8Array {
  return createHash('sha256').update(apiKey, 'utf8').digest()
}

/**
 * Returns the allowed targets of a project's e-mail links: its redirect URLs, or the root pages of its origins if it
 * has none.
 */
export function landingUrls(project: Pick<Project, 'redirectUrls' | 'allowedOrigins'>): string[] {
  if (project.redirectUrls.length > 0) return project.redirectUrls
  return project.allowedOrigins.map((origin) => `${origin}/`)
}

/** Returns the distinct allowed origins of all projects. Sufficient for CORS only where the API key is checked too. */
export async function listAllowedOrigins(db: Db): Promise<string[]> {
  const projects = await db.selectFrom('projects').select('allowed_origins').orderBy('id').execute()
  return [...new Set(projects.flatMap((project) => project.allowed_origins))]
}

export declare namespace originCheck {
  type Options = {
    /** Milliseconds to wait for a new list while an earlier one is cached. @default 1000 */
    waitMs?: number | undefined
    /** Configured projects, whose origins are used until the list has been read. @default none */
    readProjects?: (() => readonly { allowedOrigins?: readonly string[] | undefined }[] | undefined) | undefined
  }
}

/**
 * Creates a function that checks whether a list contains an origin. Reads the list at most every five seconds. If the
 * list cannot be read, uses the previous one: without CORS headers, pages could not even read why a request failed.
 */
export function originCheck(
  list: () => Promise<readonly string[]>,
  { waitMs = 1_000, readProjects }: originCheck.Options = {},
): (origin: string) => Promise<boolean> {
  const cacheMs = 5_000
  let readAt = Number.NEGATIVE_INFINITY
  let known: ReadonlySet<string> | undefined
  let reading: Promise<ReadonlySet<string>> | undefined
  const read = async () => {
    known = new Set(await list())
    return known
  }
  return async (origin) => {
    if (!reading || performance.now() - readAt > cacheMs) {
      readAt = performance.now()
      const started = read()
      reading = started
      started.catch(() => {
        if (reading === started) reading = undefined
      })
    }
    const last = known ?? toOrigins(readProjects?.())
    if (!last) return (await reading).has(origin)
    const found = await Promise.race([reading.catch(() => last), setTimeout(waitMs, last, { ref: false })])
    return found.has(origin)
  }
}

function toOrigins(projects: readonly { allowedOrigins?: readonly string[] | undefined }[] | undefined) {
  return projects && new Set(projects.flatMap(({ allowedOrigins = [] }) => allowedOrigins))
}
