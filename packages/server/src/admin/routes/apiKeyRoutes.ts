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
  chains: z.array(z.int().positive()).max(200).nullable().optional().describe('Chain ids; null: all.'),
  origins: z
    .array(z.string().max(256))
    .max(200)
    .nullable()
    .optional()
    .describe("Some of the project's; null: all; none: a key for servers."),
  methods: z
    .array(z.string().max(129))
    .max(200)
    .nullable()
    .optional()
    .describe('Names of JSON-RPC methods; `eth_*`: all that begin so; null: all.'),
  requestsPerMinute: wholeNumber.nullable().optional(),
  unitsPerMinute: wholeNumber.nullable().optional().describe('Compute units.'),
}
const name = z.string().trim().min(1).max(128)

const apiKey = z.object({
  id: uuid,
  projectId: z.string(),
  name: z.string(),
  start: z.string().describe('Its first characters, to recognise it by.'),
  chains: z.array(z.number()).nullable(),
  origins: z.array(z.string()).nullable(),
  methods: z.array(z.string()).nullable(),
  requestsPerMinute: z.number().nullable(),
  unitsPerMinute: z.number().nullable(),
  revokedAt: time.nullable().describe('When it stops working; the gateway refuses it within five seconds of that.'),
  createdAt: time,
}) satisfies z.ZodType<AdminApiKey>
const withSecret = z.object({ key: apiKey, secret: z.string().describe('The key itself, shown this once.') })
const keyParams = projectParams.extend({ keyId: uuid })

export const apiKeyRoutes: readonly Route[] = [
  defineRead({
    path: '/projects/{projectId}/api-keys',
    role: 'viewer',
    name: 'apiKey.list',
    summary: 'Lists the API keys of a project, oldest first, without the one of the projects file.',
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
    summary: 'Makes an API key of a project.',
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
    summary: 'Changes name or rules of an API key; what is not given stays.',
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
    summary: 'Makes a key with the name and the rules of another, which goes on working for a while.',
    params: keyParams,
    query: nothing,
    body: z.strictObject({
      overlapSeconds: z.int().min(0).max(2_592_000).default(86_400).describe('How long the old key goes on working.'),
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
    summary: 'Ends an API key for good. Every copy of the gateway refuses it within five seconds.',
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
