import { webhookTypes } from 'latchkey-protocol'
import type { AdminDelivery, AdminWebhook } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import {
  countOfEndpoint,
  listDeliveries,
  type listWebhooks,
  replayWebhooks,
  webhookStates,
} from '../../store/webhookOutbox.ts'
import { adminBounds } from '../adminLimits.ts'
import {
  nothing,
  pageResponse,
  projectParams,
  readPage,
  time,
  timeCursor,
  timedQuery,
  toTimeCursor,
  uuid,
} from '../adminSchemas.ts'
import { type CallContext, defineRead, defineWrite, type Route } from '../defineRoute.ts'

const endpointParams = projectParams.extend({ endpointId: z.string().regex(/^[\w-]{1,64}$/) })

const endpoint = z.object({
  id: z.string(),
  origin: z.string().describe('Origin of the URL. Path and query are omitted because they may hold a secret.'),
  events: z.array(z.string()),
  waiting: z.number().describe('Number of waiting webhooks, counted up to 10,000.'),
  dead: z
    .number()
    .describe('Number of webhooks that failed every attempt, counted up to 10,000. Replay them to send them again.'),
}) satisfies z.ZodType<AdminWebhook>

const delivery = z.object({
  id: uuid,
  type: z.enum(webhookTypes),
  state: z.enum(webhookStates),
  tries: z.number(),
  nextTryAt: time.nullable().describe('Null if the webhook is not waiting.'),
  failure: z.string().nullable().describe('Failure class. Never contains the response of the receiver.'),
  createdAt: time,
  updatedAt: time,
}) satisfies z.ZodType<AdminDelivery>

const replayed = z.object({
  replayed: z.number().describe('Number of webhooks queued again. Excludes webhooks that are being sent right now.'),
})

export const webhookRoutes: readonly Route[] = [
  defineRead({
    path: '/projects/{projectId}/webhooks',
    role: 'viewer',
    name: 'webhook.list',
    summary:
      'Lists the webhook endpoints of a project in the projects file of this role, with the number of waiting webhooks.',
    params: projectParams,
    query: nothing,
    response: z.object({ items: z.array(endpoint) }),
    errors: ['NOT_FOUND'],
    run: list,
  }),
  defineRead({
    path: '/projects/{projectId}/webhooks/{endpointId}/deliveries',
    role: 'viewer',
    name: 'webhook.deliveries',
    summary:
      'Lists the webhooks of an endpoint by time, without their content. Delivered webhooks are kept for a week.',
    params: endpointParams,
    query: timedQuery({ state: z.enum(webhookStates).optional() }),
    response: pageResponse('Webhooks.', delivery),
    async run({ db }, { params, query }) {
      const { rows, next } = await readPage({
        query,
        place: timeCursor,
        toPlace: toTimeCursor<Listed & { micros: string }>,
        read: (limit, after) =>
          listDeliveries(db, { ...toKey(params), state: query.state, order: query.order, limit, after }),
      })
      return { items: rows.map(toDelivery), next }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/webhooks/{endpointId}/replay',
    role: 'operator',
    name: 'webhook.replay',
    summary: `Sends webhooks again with the same ids: the given ids, or up to ${adminBounds.replays} dead webhooks.`,
    params: endpointParams,
    query: nothing,
    body: z.union([z.strictObject({ ids: z.array(uuid).min(1).max(100) }), z.strictObject({ dead: z.literal(true) })]),
    response: replayed,
    status: 202,
    async run({ db }, { params, body }) {
      const ids = 'ids' in body ? body.ids : await listDeadIds(db, params)
      const count = await replayWebhooks(db, { ids, ...toKey(params) })
      return { body: { replayed: count }, after: ids }
    },
  }),
]

type Listed = listWebhooks.ReturnType[number]

const toKey = ({ projectId, endpointId }: z.output<typeof endpointParams>) => ({ projectId, endpoint: endpointId })

async function list({ db, projects }: CallContext, { params: { projectId } }: { params: { projectId: string } }) {
  const found = projects.find(({ id }) => id === projectId)
  if (!found)
    throw new ServerError('The projects file of this role has no such project. List the projects.', {
      code: 'NOT_FOUND',
      status: 404,
    })
  const items = (found.webhooks ?? []).map(async ({ id, url, events }) => ({
    id,
    origin: new URL(url).origin,
    events: [...events],
    waiting: await countOfEndpoint(db, { projectId, endpoint: id, state: 'queued' }),
    dead: await countOfEndpoint(db, { projectId, endpoint: id, state: 'dead' }),
  }))
  return { items: await Promise.all(items) }
}

async function listDeadIds(db: Db, params: z.output<typeof endpointParams>): Promise<string[]> {
  const dead = await listDeliveries(db, { ...toKey(params), state: 'dead', limit: adminBounds.replays })
  return dead.map(({ id }) => id)
}

function toDelivery(row: Listed): z.input<typeof delivery> {
  return {
    id: row.id,
    type: row.type,
    state: row.state,
    tries: row.tries,
    nextTryAt: row.state === 'queued' ? row.next_try_at.toISOString() : null,
    failure: row.failure,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
