import type { AdminApiKey } from 'latchkey-protocol/admin'
import { z } from 'zod'
import {
  type ApiKey,
  createApiKey,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../store/apiKeys.ts'
import { nothing, pageQuery, pageResponse, projectParams, readPage, time, uuid } from '../adminSchemas.ts'
import { defineRead, defineWrite, type Route } from '../defineRoute.ts'

const wholeNumber = z.int().positive().max(2_147_483_647)
const rules = {
  chains: z
    .array(z.int().positive())
    .max(200)
    .nullable()
    .optional()
    .describe('Chain ids that the key may use, or null for all.'),
  origins: z
    .array(z.string().max(256))
    .max(200)
    .nullable()
    .optional()
    .describe(
      "Origins that may use the key, a subset of the project's. Null allows all of them; an empty list makes a server key.",
    ),
  methods: z
    .array(z.string().max(129))
    .max(200)
    .nullable()
    .optional()
    .describe('JSON-RPC methods that the key may call, or null for all. `eth_*` matches a prefix.'),
  requestsPerMinute: wholeNumber.nullable().optional(),
  unitsPerMinute: wholeNumber.nullable().optional().describe('Compute units per minute.'),
}
const name = z.string().trim().min(1).max(128)

const apiKey = z.object({
  id: uuid,
  projectId: z.string(),
  name: z.string(),
  start: z.string().describe('First characters of the key, to recognize it by.'),
  chains: z.array(z.number()).nullable(),
  origins: z.array(z.string()).nullable(),
  methods: z.array(z.string()).nullable(),
  requestsPerMinute: z.number().nullable(),
  unitsPerMinute: z.number().nullable(),
  revokedAt: time
    .nullable()
    .describe('Time at which the key stops working. The gateway rejects it within five seconds.'),
  createdAt: time,
}) satisfies z.ZodType<AdminApiKey>
const withSecret = z.object({ key: apiKey, secret: z.string().describe('The key. It is returned only once.') })
const keyParams = projectParams.extend({ keyId: uuid })

export const apiKeyRoutes: readonly Route[] = [
  defineRead({
    path: '/projects/{projectId}/api-keys',
    role: 'viewer',
    name: 'apiKey.list',
    summary: 'Lists the API keys of a project, oldest first. Excludes the key in the projects file.',
    params: projectParams,
    query: pageQuery({}),
    response: pageResponse('API keys.', apiKey),
    async run({ db }, { params, query }) {
      const { rows, next } = await readPage({
        query,
        place: z.strictObject({ id: uuid }),
        toPlace: ({ id }: ApiKey) => ({ id }),
        read: (limit, after) => listApiKeys(db, params.projectId, { limit, after: after?.id }),
      })
      return { items: rows.map(toResponse), next }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/api-keys',
    role: 'operator',
    name: 'apiKey.create',
    summary: 'Creates an API key for a project.',
    params: projectParams,
    query: nothing,
    body: z.strictObject({ name, ...rules }),
    response: withSecret,
    status: 201,
    errors: ['NOT_FOUND'],
    async run({ db }, { params, body }) {
      const { key, secret } = await createApiKey(db, { ...body, ...params })
      const after = toResponse(key)
      return { body: { key: after, secret }, target: key.id, after }
    },
  }),
  defineWrite({
    method: 'patch',
    path: '/projects/{projectId}/api-keys/{keyId}',
    role: 'operator',
    name: 'apiKey.update',
    summary: 'Updates the name or rules of an API key. Omitted fields keep their values.',
    params: keyParams,
    query: nothing,
    body: z.strictObject({ name: name.optional(), ...rules }),
    response: apiKey,
    errors: ['NOT_FOUND'],
    async run({ db }, { params, body }) {
      const place = { projectId: params.projectId, id: params.keyId }
      const before = toResponse(await readApiKey(db, place))
      const after = toResponse(await updateApiKey(db, { ...body, ...place }))
      return { body: after, before, after }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/api-keys/{keyId}/rotate',
    role: 'operator',
    name: 'apiKey.rotate',
    summary:
      'Rotates an API key: creates a key with the same name and rules. The old key works until the overlap ends.',
    params: keyParams,
    query: nothing,
    body: z.strictObject({
      overlapSeconds: z
        .int()
        .min(0)
        .max(2_592_000)
        .default(86_400)
        .describe('Seconds for which the old key keeps working.'),
    }),
    response: withSecret,
    status: 201,
    errors: ['NOT_FOUND'],
    async run({ db }, { params, body }) {
      const place = { projectId: params.projectId, id: params.keyId }
      const before = toResponse(await readApiKey(db, place))
      const { key, secret } = await rotateApiKey(db, { ...place, graceMs: body.overlapSeconds * 1000 })
      const after = toResponse(key)
      return { body: { key: after, secret }, before, after }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/api-keys/{keyId}/disable',
    role: 'operator',
    name: 'apiKey.disable',
    summary: 'Revokes an API key permanently. Every gateway copy rejects it within five seconds.',
    params: keyParams,
    query: nothing,
    body: nothing,
    response: apiKey,
    errors: ['NOT_FOUND'],
    async run({ db }, { params }) {
      const place = { projectId: params.projectId, id: params.keyId }
      const before = toResponse(await readApiKey(db, place))
      const after = toResponse(await revokeApiKey(db, place))
      return { body: after, before, after }
    },
  }),
]

function toResponse({ revokedAt, createdAt, chains, origins, methods, ...rest }: ApiKey): z.input<typeof apiKey> {
  return {
    ...rest,
    chains: chains && [...chains],
    origins: origins && [...origins],
    methods: methods && [...methods],
    revokedAt: revokedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
