/**
 * States of a webhook. The reporting role queues it in the same transaction as the reported change. The webhooks role
 * claims, delivers, postpones or abandons it (`dead`), and an operator may replay it.
 */
import { type Selectable, sql } from 'kysely'
import type { WebhookData, WebhookType } from 'latchkey-protocol'
import type { Db } from '../platform/database/openStore.ts'
import { isBehind, micros, type TimeOrder, type TimePlace, toDirection } from '../platform/database/timeOrder.ts'
import type { WebhookTable } from '../platform/database/webhookTables.ts'
import type { WebhookProject } from './webhookEndpoints.ts'

/** An event for projects. */
export type WebhookOccurrence = {
  [type in WebhookType]: {
    type: type
    data: WebhookData[type]
    /** Idempotency key: the same event is queued once per endpoint. */
    once: string
  }
}[WebhookType]

/** Returns whether an endpoint of any of the projects subscribes to a type. */
export function isWanted(projects: readonly WebhookProject[], type: WebhookType): boolean {
  return projects.some(({ webhooks = [] }) => webhooks.some(({ events }) => events.includes(type)))
}

/** Queues an event for each endpoint of the projects that subscribes to its type. Returns the number of rows. */
export async function queueWebhooks(
  db: Db,
  projects: readonly WebhookProject[],
  occurrences: readonly WebhookOccurrence[],
): Promise<number> {
  const rows = projects.flatMap(({ id, webhooks = [] }) =>
    webhooks.flatMap((endpoint) =>
      occurrences
        .filter(({ type }) => endpoint.events.includes(type))
        .map(({ type, data, once }) => ({
          project_id: id,
          endpoint: endpoint.id,
          type,
          once,
          data: JSON.stringify(data),
        })),
    ),
  )
  if (rows.length === 0) return 0
  // Omits the conflict target, which would need more than the insert privilege.
  await db
    .insertInto('webhook_outbox')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return rows.length
}

export declare namespace claimWebhooks {
  type Parameters = {
    /** Endpoints in rotating order, and the maximum number for each. */
    wanted: readonly { projectId: string; endpoint: string; most: number }[]
    /** Maximum in total. */
    most: number
  }
  type ReturnType = Pick<
    Selectable<WebhookTable>,
    'id' | 'project_id' | 'endpoint' | 'type' | 'data' | 'tries' | 'created_at'
  >[]
}

/**
 * Claims due webhooks for a minute: no other replica sends them in that time, and a crashed replica's claim expires.
 * Limits the number per endpoint, so that a slow one does not delay others.
 */
export async function claimWebhooks(
  db: Db,
  { wanted, most }: claimWebhooks.Parameters,
): Promise<claimWebhooks.ReturnType> {
  const { rows } = await sql<claimWebhooks.ReturnType[number]>`
    with due as (
      select found.id from unnest(
        ${wanted.map(({ projectId }) => projectId)}::text[],
        ${wanted.map(({ endpoint }) => endpoint)}::text[],
        ${wanted.map(({ most }) => most)}::integer[]
      ) as wanted (project_id, endpoint, most)
      cross join lateral (
        select queued.id from webhook_outbox as queued
        where queued.project_id = wanted.project_id and queued.endpoint = wanted.endpoint
          and queued.state = 'queued' and queued.next_try_at <= latchkey_now()
        order by queued.next_try_at
        limit wanted.most
        for update skip locked
      ) as found
      limit ${most}
    )
    update webhook_outbox as claimed
    set tries = claimed.tries + 1, next_try_at = latchkey_now() + interval '1 minute', updated_at = latchkey_now()
    from due where claimed.id = due.id
    returning claimed.id, claimed.project_id, claimed.endpoint, claimed.type, claimed.data, claimed.tries,
      claimed.created_at`.execute(db)
  return rows
}

/** A claim, which becomes void once another replica claims the webhook. */
export type WebhookClaim = { id: string; tries: number }

/** Marks a webhook as accepted by the receiver. */
export async function markDelivered(db: Db, claim: WebhookClaim): Promise<void> {
  await update(db, claim, { state: 'delivered', failure: null })
}

/** Schedules the next retry. `failure`: an error class, never the receiver's response. */
export async function postponeWebhook(db: Db, claim: WebhookClaim & { inMs: number; failure: string }): Promise<void> {
  const { inMs, failure } = claim
  const next = sql<Date>`latchkey_now() + ${`${Math.round(inMs)} milliseconds`}::interval`
  await update(db, claim, { next_try_at: next, failure })
}

/** Abandons a webhook until an operator replays it. */
export async function markDead(db: Db, claim: WebhookClaim & { failure: string }): Promise<void> {
  await update(db, claim, { state: 'dead', failure: claim.failure })
}

async function update(db: Db, { id, tries }: WebhookClaim, values: object): Promise<void> {
  await db
    .updateTable('webhook_outbox')
    .set({ ...values, updated_at: sql<Date>`latchkey_now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('tries', '=', tries)
    .execute()
}

export const webhookStates = ['queued', 'delivered', 'dead'] as const

export declare namespace listWebhooks {
  type Parameters = {
    projectId?: string | undefined
    state?: (typeof webhookStates)[number] | undefined
    limit: number
  }
  type ReturnType = Omit<Selectable<WebhookTable>, 'data' | 'once'>[]
}

const listed = [
  'id',
  'project_id',
  'endpoint',
  'type',
  'state',
  'tries',
  'next_try_at',
  'failure',
  'created_at',
  'updated_at',
] as const

/** Returns webhooks without their data, newest first. */
export async function listWebhooks(db: Db, parameters: listWebhooks.Parameters): Promise<listWebhooks.ReturnType> {
  const { projectId, state, limit } = parameters
  let query = db.selectFrom('webhook_outbox').select(listed)
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (state !== undefined) query = query.where('state', '=', state)
  return query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
}

/** Endpoint of one project, with an optional state of its webhooks. */
type OfEndpoint = { projectId: string; endpoint: string; state?: (typeof webhookStates)[number] | undefined }

/** Returns the webhooks of one endpoint, in pages. */
export async function listDeliveries(db: Db, parameters: Parameters<typeof deliveriesQuery>[1]) {
  return deliveriesQuery(db, parameters).execute()
}

/** Builds the query of {@link listDeliveries}; exported so that a test can check its plan. */
export function deliveriesQuery(
  db: Db,
  {
    order,
    after,
    limit,
    ...of
  }: OfEndpoint & { order?: TimeOrder | undefined; after?: TimePlace | undefined; limit: number },
) {
  let query = ofEndpoint(db, of).select([...listed, micros])
  if (after !== undefined) query = query.where(isBehind(after, { order, column: 'id', type: 'uuid' }))
  return query.orderBy('created_at', toDirection(order)).orderBy('id', toDirection(order)).limit(limit)
}

/** Counts an endpoint's webhooks in a state, up to 10,000. */
export async function countOfEndpoint(db: Db, of: OfEndpoint): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count
    from (${ofEndpoint(db, of).select('id').limit(maxCounted)}) as found`.execute(db)
  return rows[0]?.count ?? 0
}

function ofEndpoint(db: Db, { projectId, endpoint, state }: OfEndpoint) {
  const query = db.selectFrom('webhook_outbox').where('project_id', '=', projectId).where('endpoint', '=', endpoint)
  // Inlined as a literal, so that the query matches the partial index on states.
  return state === undefined ? query : query.where(sql<boolean>`state = ${sql.lit(state)}`)
}

export declare namespace replayWebhooks {
  /** Webhooks by id, optionally of one endpoint; or all dead ones, optionally of one project. */
  type Parameters =
    | { ids: readonly string[]; projectId?: string | undefined; endpoint?: string | undefined }
    | { projectId?: string | undefined }
}

/**
 * Requeues webhooks under their ids. A waiting webhook becomes due immediately, unless it is being sent. Returns the
 * number of requeued webhooks.
 */
export async function replayWebhooks(db: Db, which: replayWebhooks.Parameters): Promise<number> {
  let query = db.updateTable('webhook_outbox').set({
    state: 'queued',
    tries: 0,
    failure: null,
    next_try_at: sql<Date>`latchkey_now()`,
    updated_at: sql<Date>`latchkey_now()`,
  })
  if ('ids' in which) query = query.where('id', 'in', [...which.ids])
  else query = query.where('state', '=', 'dead')
  if (which.projectId !== undefined) query = query.where('project_id', '=', which.projectId)
  if ('endpoint' in which && which.endpoint !== undefined) query = query.where('endpoint', '=', which.endpoint)
  // A claim lasts a minute.
  const isFree = sql<boolean>`(state <> 'queued' or updated_at < latchkey_now() - interval '1 minute')`
  const rows = await query.where(isFree).returning('id').execute()
  return rows.length
}

const maxCounted = 10_000

/** Counts waiting and dead webhooks, up to 10,000, and returns the age of the oldest waiting one in seconds. */
export async function countWebhooks(db: Db): Promise<{ waiting: number; dead: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; dead: number; oldest: number }>`
    select
      (select count(*)::integer from (select from webhook_outbox where state = 'queued' limit ${maxCounted}) q) as waiting,
      (select count(*)::integer from (select from webhook_outbox where state = 'dead' limit ${maxCounted}) d) as dead,
      coalesce((
        select extract(epoch from latchkey_now() - created_at)::float8 from webhook_outbox
        where state = 'queued' order by created_at limit 1
      ), 0) as oldest`.execute(db)
  const { waiting = 0, dead = 0, oldest = 0 } = rows[0] ?? {}
  return { waiting, dead, oldestSeconds: oldest }
}

/**
 * Deletes webhooks delivered a week ago or dead for a month; abandons those that have waited for a week because their
 * endpoint is no longer configured.
 */
export async function sweepWebhooks(db: Db): Promise<void> {
  await sql`delete from webhook_outbox where state <> 'queued'
    and updated_at < latchkey_now() - case state when 'dead' then interval '30 days' else interval '7 days' end
    and updated_at < latchkey_now() - interval '7 days'`.execute(db)
  await sql`update webhook_outbox set state = 'dead', failure = 'not sent', updated_at = latchkey_now()
    where state = 'queued' and updated_at < latchkey_now() - interval '7 days'`.execute(db)
}
