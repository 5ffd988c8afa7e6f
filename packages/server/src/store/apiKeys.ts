import { randomBytes, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { ApiKeyTable } from '../platform/database/tables.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { findProjectById, hashApiKey } from './projects.ts'

/** Restrictions of a key. Missing or null members grant the same access as the project. */
export type ApiKeyRules = {
  /** Chain ids. */
  chains?: readonly number[] | null | undefined
  /** Subset of the project's origins. */
  origins?: readonly string[] | null | undefined
  /** Names of JSON-RPC methods; `eth_*` matches that prefix. */
  methods?: readonly string[] | null | undefined
  requestsPerMinute?: number | null | undefined
  /** Compute units. */
  unitsPerMinute?: number | null | undefined
}

/** An API key without its secret, which is not stored. */
export type ApiKey = { [rule in keyof Required<ApiKeyRules>]: Exclude<ApiKeyRules[rule], undefined> } & {
  id: string
  projectId: string
  name: string
  /** First characters of the key, by which people recognize it. */
  start: string
  /** Time at which the key stops working; null if not planned. */
  revokedAt: Date | null
  createdAt: Date
}

export declare namespace createApiKey {
  type Parameters = ApiKeyRules & { projectId: string; name: string }
  /** `secret` is shown only once. */
  type ReturnType = { secret: string; key: ApiKey }
}

/**
 * Creates a key of a project.
 *
 * @throws `NOT_FOUND`, `REQUEST_INVALID`.
 */
export async function createApiKey(db: Db, parameters: createApiKey.Parameters): Promise<createApiKey.ReturnType> {
  const { projectId, name, ...rules } = parameters
  if (name.trim() === '' || name.length > 128) throw invalid('its name must have 1 to 128 characters')
  const columns = await toColumns(db, projectId, rules)
  const secret = `lk_${randomBytes(32).toString('base64url')}`
  const row = await db
    .insertInto('api_keys')
    .values({ id: randomUUID(), project_id: projectId, name, ...secretColumns(secret), ...columns })
    .returning(listed)
    .executeTakeFirstOrThrow()
  return { secret, key: toApiKey(row) }
}

/** Returns the keys of a project after the key `after`, oldest first, including revoked ones. */
export async function listApiKeys(
  db: Db,
  projectId: string,
  { limit = 1_000, after }: { limit?: number | undefined; after?: string | undefined } = {},
): Promise<ApiKey[]> {
  let query = db.selectFrom('api_keys').select(listed).where('project_id', '=', projectId)
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(created_at, id) > (select last.created_at, last.id from api_keys as last where last.id = ${after})`,
    )
  return (await query.orderBy('created_at').orderBy('id').limit(limit).execute()).map(toApiKey)
}

/**
 * Returns a key of a project.
 *
 * @throws `NOT_FOUND`.
 */
export async function readApiKey(db: Db, { projectId, id }: { projectId: string; id: string }): Promise<ApiKey> {
  const query = db.selectFrom('api_keys').select(listed).where('id', '=', id).where('project_id', '=', projectId)
  return toApiKey((await query.executeTakeFirst()) ?? refuseUnknown())
}

/**
 * Changes name or restrictions of a key; missing members stay.
 *
 * @throws `NOT_FOUND`, `REQUEST_INVALID`.
 */
export async function updateApiKey(
  db: Db,
  { projectId, id, name, ...rules }: ApiKeyRules & { projectId: string; id: string; name?: string | undefined },
): Promise<ApiKey> {
  const columns = await toColumns(db, projectId, rules)
  const row = await db
    .updateTable('api_keys')
    .set({ ...columns, ...(name === undefined ? {} : { name }), updated_at: sql<Date>`latchkey_now()` })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning(listed)
    .executeTakeFirst()
  return toApiKey(row ?? refuseUnknown())
}

/**
 * Revokes a key immediately, or after a delay. Every replica refuses it within five seconds. An end that is already set
 * can only be moved to an earlier time.
 *
 * @throws `NOT_FOUND`.
 */
export async function revokeApiKey(
  db: Db,
  { projectId, id, afterMs = 0 }: { projectId: string; id: string; afterMs?: number },
): Promise<ApiKey> {
  const row = await db
    .updateTable('api_keys')
    .set({
      revoked_at: sql`least(coalesce(revoked_at, 'infinity'), latchkey_now() + ${`${afterMs} milliseconds`}::interval)`,
      updated_at: sql<Date>`latchkey_now()`,
    })
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returning(listed)
    .executeTakeFirst()
  return toApiKey(row ?? refuseUnknown())
}

/**
 * Creates a key with the name and restrictions of an existing key, which stays valid for a while.
 * @throws `NOT_FOUND`, also if the existing key is revoked.
 */
export async function rotateApiKey(
  db: Db,
  { projectId, id, graceMs }: { projectId: string; id: string; graceMs: number },
): Promise<createApiKey.ReturnType> {
  return inTransaction(db, async (trx) => {
    const key = await readApiKey(trx, { projectId, id })
    const { rows } = await sql<{
      ended: boolean
    }>`select ${key.revokedAt}::timestamptz <= latchkey_now() as ended`.execute(trx)
    if (rows[0]?.ended) refuseUnknown()
    return createApiKey(trx, await revokeApiKey(trx, { projectId, id, afterMs: graceMs }))
  })
}

/** Returns the key of a secret, unless it is revoked. */
export async function findApiKey(db: Db, secret: string): Promise<ApiKey | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(listed)
    .where('key_hash', '=', hashApiKey(secret))
    .where(sql<boolean>`coalesce(revoked_at > latchkey_now(), true)`)
    .executeTakeFirst()
  return row ? toApiKey(row) : null
}

/** All columns except the key's digest. */
const listed = [
  'id',
  'project_id',
  'name',
  'key_start',
  'chains',
  'origins',
  'methods',
  'requests_per_minute',
  'units_per_minute',
  'revoked_at',
  'created_at',
] as const

function toApiKey(row: Pick<Selectable<ApiKeyTable>, (typeof listed)[number]>): ApiKey {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    start: row.key_start,
    chains: row.chains?.map(Number) ?? null,
    origins: row.origins,
    methods: row.methods,
    requestsPerMinute: row.requests_per_minute,
    unitsPerMinute: row.units_per_minute,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }
}

function secretColumns(secret: string): { key_hash: Uint8Array; key_start: string } {
  return { key_hash: hashApiKey(secret), key_start: secret.slice(0, 8) }
}

async function toColumns(db: Db, projectId: string, rules: ApiKeyRules) {
  const { chains, origins, methods, requestsPerMinute, unitsPerMinute } = rules
  const project = await findProjectById(db, projectId)
  if (!project) return refuseUnknown()
  const foreign = origins?.find((origin) => !project.allowedOrigins.includes(origin))
  if (foreign !== undefined) throw invalid(`the origin ${foreign.slice(0, 128)} is not one of its project`)
  if (chains?.some((id) => !Number.isSafeInteger(id) || id <= 0)) throw invalid('a chain id must be a whole number')
  if (methods?.some((method) => !/^\w{1,128}\*?$/.test(method))) throw invalid('a method must be a name, or end in *')
  for (const limit of [requestsPerMinute, unitsPerMinute])
    if (typeof limit === 'number' && !(Number.isInteger(limit) && limit > 0 && limit < 2 ** 31))
      throw invalid('a limit must be a whole number above 0')
  return {
    ...(chains === undefined ? {} : { chains: chains && [...chains] }),
    ...(origins === undefined ? {} : { origins: origins && [...origins] }),
    ...(methods === undefined ? {} : { methods: methods && [...methods] }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(unitsPerMinute === undefined ? {} : { units_per_minute: unitsPerMinute }),
  }
}

function invalid(why: string): ServerError {
  return new ServerError(`The API key is not valid: ${why}.`, { code: 'REQUEST_INVALID' })
}

function refuseUnknown(): never {
  throw new ServerError('There is no such project or API key. List the keys of the project.', {
    code: 'NOT_FOUND',
    status: 404,
  })
}
