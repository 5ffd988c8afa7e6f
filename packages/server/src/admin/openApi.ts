import { type ErrorCode, errorCodes } from 'latchkey-protocol'
import { adminPath } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { nothing } from './adminSchemas.ts'
import type { Route } from './defineRoute.ts'

/** A JSON object. */
type Json = Record<string, unknown>

/** Error codes of every call. */
const common: readonly ErrorCode[] = ['REQUEST_INVALID', 'UNAUTHENTICATED', 'ROLE_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED']

const statuses: Partial<Record<ErrorCode, number>> = {
  REQUEST_INVALID: 400,
  UNAUTHENTICATED: 401,
  ROLE_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  STATE_CONFLICT: 409,
  CONFIGURED_IN_FILE: 409,
  SIGNATURE_MISSING: 401,
  SIGNATURE_INVALID: 401,
  CREDENTIAL_NOT_FOUND: 401,
  VERSION_CONFLICT: 412,
  VERSION_MISSING: 428,
  RATE_LIMIT_EXCEEDED: 429,
}

/** A POST call that creates a bearer token and does not require one. */
export type OpenCall = Pick<Route, 'path' | 'name' | 'summary' | 'errors'> & {
  body: z.ZodObject
  response: z.ZodType
  headers: readonly string[]
}

/** Returns the OpenAPI 3.1 document of a list of calls. `x-latchkey-role` is the minimum role. */
export function toOpenApi(routes: readonly Route[], openCalls: readonly OpenCall[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const call of openCalls) paths[`${adminPath}${call.path}`] = { post: toOpenOperation(call) }
  for (const route of routes) {
    const item = paths[`${adminPath}${route.path}`] ?? {}
    paths[`${adminPath}${route.path}`] = { ...item, [route.method]: toOperation(route) }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Latchkey admin API',
      version,
      description:
        'For operators, with a key of their own, or a session of the console, as bearer. Amounts are wei in decimal digits; times are ISO 8601. Lists come in pages: `next` is the cursor of the next one.',
    },
    security: [{ operatorKey: [] }],
    paths,
    components: {
      securitySchemes: { operatorKey: { type: 'http', scheme: 'bearer', description: 'lko_… or lks_…' } },
      schemas: { Error: toSchema(errorBody) },
    },
  }
}

const errorBody = z.object({
  error: z.object({ code: z.enum(Object.keys(errorCodes)), message: z.string(), requestId: z.string() }),
})

function toOperation(route: Route): Json {
  const { role, body, status, response, isWrite } = route
  return {
    ...toTitle(route),
    description: `Role: ${role}${isWrite ? '; every call is an entry of the log.' : '.'}`,
    'x-latchkey-role': role,
    parameters: toParameters(route),
    ...(body && toRequestBody(body)),
    responses: {
      [status]:
        response === 'events'
          ? { description: 'Events.', content: { 'text/event-stream': { schema: { type: 'string' } } } }
          : toDone(response),
      ...toErrors([...common, ...route.errors]),
    },
  }
}

function toOpenOperation(call: OpenCall): Json {
  return {
    ...toTitle(call),
    description: 'Needs no bearer: it leads to one.',
    security: [],
    parameters: call.headers.map((name) => toHeader(name, true)),
    ...toRequestBody(call.body),
    responses: { 201: toDone(call.response), ...toErrors(call.errors) },
  }
}

function toTitle({ name, summary }: Pick<Route, 'name' | 'summary'>): Json {
  const [tag] = name.split('.')
  return { operationId: name, tags: [tag], summary }
}

function toRequestBody(body: z.ZodType): Json {
  if (body === nothing) return {}
  return { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body) } } } }
}

function toDone(response: z.ZodType): Json {
  return { description: 'Done.', content: { 'application/json': { schema: toSchema(response) } } }
}

function toHeader(name: string, required: boolean): Json {
  return { name, in: 'header', required, schema: { type: 'string' } }
}

function toErrors(codes: readonly ErrorCode[]): Json {
  const found = new Set(codes.map((code) => statuses[code] ?? 400))
  return Object.fromEntries(
    [...found].map((status) => [
      status,
      {
        description: codes.filter((code) => (statuses[code] ?? 400) === status).join(' or '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

function toParameters({ params, query, needsVersion, response }: Route): Json[] {
  return [
    ...Object.entries(params.shape).map(([name, schema]) => toParameter('path', name, schema, true)),
    ...Object.entries(query.shape).map(([name, schema]) => toParameter('query', name, schema, false)),
    ...(needsVersion ? [toHeader('If-Match', true)] : []),
    ...(response === 'events' ? [toHeader('Last-Event-ID', false)] : []),
  ]
}

function toParameter(place: 'path' | 'query', name: string, schema: z.core.$ZodType, required: boolean): Json {
  const { description, ...rest } = toSchema(schema)
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest }
}

/** Returns the input schema. Omits `$schema`, since an OpenAPI 3.1 document sets the dialect of its schemas. */
function toSchema(schema: z.core.$ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}
