import type { ErrorCode } from 'latchkey-protocol'
import type { OperatorRole } from 'latchkey-protocol/admin'
import type { z } from 'zod'
import type { Chain } from '../gateway/chains/createChain.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { validate } from '../platform/http/requestBody.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Operator } from '../store/operators.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'

/** Validates a change to a project in the projects file without writing it. */
export type ProjectChange = (change: ProjectChange.Parameters) => ProjectChange.ReturnType | undefined

export declare namespace ProjectChange {
  type Parameters = { id: string; changes: unknown }
  /** `entry`: the file entry after the change, without the API key. */
  type ReturnType = { problems: string[]; entry: Record<string, unknown> }
}

export type CallContext = {
  /** The database, or the transaction of a call that writes. */
  db: Db
  /** Key that authenticates operators' keys, their sessions and the log. */
  key: Uint8Array
  /** Milliseconds since the epoch. */
  now(): number
  operator: Operator
  /** Session of an operator signed in to the console. */
  sessionId: string | undefined
  /** Operators from the configuration who sign in by passkey. */
  passkeyOperators: readonly PasskeyOperator[]
  /** Projects from the configuration. */
  projects: readonly upsertProject.Parameters[]
  /** Parent organization of users in projects that do not specify one. */
  rootOrganizationId: string
  /** Undefined without a projects file. */
  tryProject: ProjectChange | undefined
  /** Chains that operators can read. */
  chains: readonly Chain[]
  /** Custody's URL as reachable from this process; undefined if not configured. */
  custodyUrl: string | undefined
  logger: Logger
  /** Opens a stream of a project's operation events. */
  stream(projectId: string): Promise<Response>
}

/** The unparsed request. */
type RawRequest = { params: unknown; query: unknown; body: unknown; ifMatch: string | undefined }

type Outcome = {
  body: unknown
  /** Value of the `ETag` header, without quotes. */
  version?: string | undefined
  /** Project to record in the log entry if the path does not contain its id. */
  projectId?: string | undefined
  target?: string | undefined
  before?: unknown
  after?: unknown
}

/** A call of the admin API: required role, parameters and handler. */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path below `/admin/v1`, with parameters in braces. */
  path: string
  /** Minimum role of the caller. */
  role: OperatorRole
  /** Name of the call in the OpenAPI document and, for a write, in the log. */
  name: string
  summary: string
  params: z.ZodObject
  query: z.ZodObject
  body: z.ZodType | undefined
  response: z.ZodType | 'events'
  status: 200 | 201 | 202
  /** Whether the call runs in a transaction that also writes a log entry. */
  isWrite: boolean
  /** Requires `If-Match` with the version that the caller last read. */
  needsVersion: boolean
  /** Error codes beyond those common to all calls. */
  errors: readonly ErrorCode[]
  run(context: CallContext, request: RawRequest): Promise<Outcome | Response>
}

type Common<params extends z.ZodObject, query extends z.ZodObject> = Pick<
  Route,
  'path' | 'role' | 'name' | 'summary'
> & { params: params; query: query; errors?: readonly ErrorCode[] }

export function defineRead<params extends z.ZodObject, query extends z.ZodObject, response extends z.ZodType>(
  definition: Common<params, query> & {
    response: response
    /** Value of the `ETag` header. */
    version?(body: z.input<response>): string
    run(context: CallContext, request: { params: z.output<params>; query: z.output<query> }): Promise<z.input<response>>
  },
): Route {
  const { run, version, ...rest } = definition
  return {
    errors: [],
    ...rest,
    method: 'get',
    body: undefined,
    status: 200,
    isWrite: false,
    needsVersion: false,
    async run(context, raw) {
      const params = validate(definition.params, raw.params, 'path')
      const query = validate(definition.query, raw.query, 'query')
      const body = await run(context, { params, query })
      return { body: definition.response.parse(body), version: version?.(body) }
    },
  }
}

export function defineStream<params extends z.ZodObject, query extends z.ZodObject>(
  definition: Common<params, query> & {
    run(context: CallContext, request: { params: z.output<params> }): Promise<Response>
  },
): Route {
  return {
    errors: [],
    ...definition,
    method: 'get',
    body: undefined,
    response: 'events',
    status: 200,
    isWrite: false,
    needsVersion: false,
    async run(context, raw) {
      validate(definition.query, raw.query, 'query')
      return definition.run(context, { params: validate(definition.params, raw.params, 'path') })
    },
  }
}

export function defineWrite<
  params extends z.ZodObject,
  query extends z.ZodObject,
  body extends z.ZodType,
  response extends z.ZodType,
>(
  definition: Common<params, query> & {
    method: Exclude<Route['method'], 'get'>
    body: body
    response: response
    /** @default 200 */
    status?: Route['status']
    /** @default false */
    needsVersion?: boolean
    /** Whether the call accepts a body although it only reads. @default false */
    isRead?: boolean
    version?(body: z.input<response>): string
    /** Runs the call. The log stores digests of the `before` and `after` values that it returns. */
    run(
      context: CallContext,
      request: {
        params: z.output<params>
        query: z.output<query>
        body: z.output<body>
        /** Version from `If-Match`; empty unless the call requires one. */
        version: string
      },
    ): Promise<Omit<Outcome, 'body' | 'version'> & { body: z.input<response> }>
  },
): Route {
  const { run, version, isRead = false, ...rest } = definition
  const needsVersion = definition.needsVersion ?? false
  return {
    errors: [],
    status: 200,
    ...rest,
    isWrite: !isRead,
    needsVersion,
    async run(context, raw) {
      const params = validate(definition.params, raw.params, 'path')
      const query = validate(definition.query, raw.query, 'query')
      const body = validate(definition.body, raw.body)
      const read = needsVersion ? readVersion(raw.ifMatch) : ''
      const outcome = await run(context, { params, query, body, version: read })
      return { ...outcome, body: definition.response.parse(outcome.body), version: version?.(outcome.body) }
    },
  }
}

/**
 * Reads `If-Match` (RFC 9110 § 13.1.1), which must contain one strong validator. Refuses `*`, which would overwrite
 * unseen changes.
 */
function readVersion(header: string | undefined): string {
  const [, version] = /^"(\d{1,18})"$/.exec(header ?? '') ?? []
  if (version !== undefined) return version
  throw new ServerError(
    'Send the version that you have read as If-Match, such as If-Match: "3"; it is in the header ETag and in `version`.',
    { code: 'VERSION_MISSING', status: 428 },
  )
}
