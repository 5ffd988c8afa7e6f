import { type Context, Hono } from 'hono'
import { sql } from 'kysely'
import { productVersion } from 'latchkey-protocol'
import { type AdminErrorBody, adminPath, operatorRoles, signInPaths } from 'latchkey-protocol/admin'
import type { ChainOptions } from '../gateway/chains/ChainOptions.ts'
import { createChain } from '../gateway/chains/createChain.ts'
import { createSemaphore } from '../gateway/operations/createSemaphore.ts'
import type { OperationNotifier } from '../gateway/operations/operationNotifier.ts'
import { streamEvents } from '../gateway/operations/streamEvents.ts'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { clientIp } from '../platform/http/clientIp.ts'
import { errorResponse } from '../platform/http/errorResponse.ts'
import { parseJson, readBody } from '../platform/http/requestBody.ts'
import { requestId } from '../platform/http/requestId.ts'
import { tooManyRequests } from '../platform/limits/rateLimit.ts'
import { takeToken } from '../platform/limits/takeToken.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { measureRequests } from '../platform/observability/metrics.ts'
import { readBearer } from '../store/authorizeProject.ts'
import { appendOperatorLog } from '../store/operatorLog.ts'
import { findOperatorSession } from '../store/operatorSessions.ts'
import { type ConfiguredOperator, findOperator, type Operator } from '../store/operators.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { type AdminLimits, adminBounds, defaultAdminLimits } from './adminLimits.ts'
import type { CallContext, ProjectChange, Route } from './defineRoute.ts'
import { toOpenApi } from './openApi.ts'
import { routes } from './routes.ts'
import { type ConsoleAccess, createChallenge, signIn, signInCalls } from './signIn.ts'

export declare namespace adminApp {
  type Deps = {
    db: Db
    /** 32-byte key that authenticates operator keys and log entries. */
    key: Uint8Array
    /** Operators from the configuration, in addition to those in the database. */
    operators?: readonly ConfiguredOperator[] | undefined
    /** Console URL and the operators who sign in there by passkey; read at each request. @default no passkey operators */
    console?: ConsoleAccess | undefined
    /** See `CallContext`. */
    rootOrganizationId: string
    /** See `CallContext`. @default none */
    chains?: readonly ChainOptions[] | undefined
    /** See `CallContext`. */
    custodyUrl?: string | undefined
    /** See `CallContext`. */
    tryProject?: ProjectChange | undefined
    /** Projects in the projects file. Read on every request. */
    projects?: readonly upsertProject.Parameters[] | undefined
    /** Wakes event streams. Without a notifier, streams poll once a second. */
    notifier?: OperationNotifier | undefined
    logger?: Logger | undefined
    /** See `clientIp`. @default 0 */
    trustedProxies?: number | undefined
    /** See `clientIp`. @default false */
    exemptLoopback?: boolean | undefined
    /** Overrides of the default limits. */
    limits?: Partial<AdminLimits> | undefined
    /** Milliseconds between checks that a stream's operator still has access. @default 10000 */
    recheckMs?: number | undefined
    /** Aborted at shutdown to end open streams. */
    closing?: AbortSignal | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
}

/** Maximum logged length of a refused path, in characters. */
const maxIdLength = 128

type Caller = Pick<CallContext, 'operator' | 'sessionId'>
type Found = { id: string; operatorId: string }
type Variables = { Variables: { requestId: string } }

/**
 * Returns the admin API: the calls of `routes` below `/admin/v1`, for operators who send a key or a session as bearer
 * token. The API sends no CORS headers and accepts no cookies, so pages of other origins cannot call it. Writes run in
 * one transaction with their log entry.
 */
export function adminApp(deps: adminApp.Deps): Hono<Variables> {
  const logger = deps.logger ?? silentLogger
  const { limits, authenticate, open } = createParts(deps, logger)
  const chains = (deps.chains ?? []).map((chain) => createChain(chain, logger))
  const document = toOpenApi(routes, signInCalls, productVersion)
  const app = new Hono<Variables>()
  app.onError((error, http) => toErrorBody(http, error, logger))
  app.use('*', requestId())
  app.use('*', measureRequests('admin'))
  app.use('*', async (http, next) => {
    http.header('cache-control', 'no-store')
    http.header('x-content-type-options', 'nosniff')
    const ip = clientIp(http, deps)
    if (ip !== undefined) await limits.take('requestsPerIp', `admin ip ${ip}`)
    await next()
  })
  app.get(`${adminPath}/openapi.json`, (http) => http.json(document))
  for (const route of routes)
    app.on(route.method, `${adminPath}${route.path.replace(/\{(\w+)\}/g, ':$1')}`, async (http) => {
      const { operator, sessionId } = await authenticate(http)
      const limit = route.isWrite ? 'writesPerOperator' : 'readsPerOperator'
      await limits.take(limit, `admin ${route.isWrite ? 'writes' : 'reads'} ${operator.id}`)
      const stream = (projectId: string) => open(http, projectId)
      return call(http, route, {
        ...deps,
        now: deps.now ?? Date.now,
        projects: deps.projects ?? [],
        chains,
        operator,
        sessionId,
        custodyUrl: deps.custodyUrl,
        tryProject: deps.tryProject,
        passkeyOperators: deps.console?.operators ?? [],
        logger,
        stream,
      })
    })
  addSignIn(app, deps, limits)
  app.notFound(() => {
    throw new ServerError(`There is no such call. GET ${adminPath}/openapi.json lists them.`, {
      code: 'NOT_FOUND',
      status: 404,
    })
  })
  return app
}

function addSignIn(app: Hono<Variables>, deps: adminApp.Deps, limits: ReturnType<typeof createLimits>): void {
  const context = {
    db: deps.db,
    key: deps.key,
    now: deps.now ?? Date.now,
    get console() {
      return deps.console
    },
  }
  const take = async (http: Context) => {
    const ip = clientIp(http, deps)
    if (ip !== undefined) await limits.take('signInsPerIp', `admin sign-in ${ip}`)
  }
  app.post(`${adminPath}${signInPaths.challenge}`, async (http) => {
    await take(http)
    return http.json(createChallenge(context), 201)
  })
  app.post(`${adminPath}${signInPaths.session}`, async (http) => {
    await take(http)
    const body = await readBody(http.req.raw, { maxBytes: adminBounds.bodyBytes })
    const { requestId } = http.var
    return http.json(await signIn(context, { body, headers: http.req.raw.headers, requestId }), 201)
  })
}

function createParts(deps: adminApp.Deps, logger: Logger) {
  const limits = createLimits(deps)
  const takeSeat = createSemaphore('admin.streams', adminBounds.streams, 'event streams are open')

  async function find(http: Context): Promise<Caller | null> {
    const { db, key, now = Date.now, operators: configured } = deps
    const secret = readBearer(http.req.header('authorization'))
    if (secret === undefined) return null
    const onForgery = (id: string) =>
      logger.error({ operatorId: id }, 'A row of an operator was not written by this server; its key is refused')
    const session = await findOperatorSession(db, { key, now, secret, onForgery })
    if (session) return findCaller(deps.console, session)
    const operator = await findOperator(db, { secret, key, now, configured, onForgery })
    return operator && { operator, sessionId: undefined }
  }

  /** Opens a stream, and ends it when the operator loses read permission. */
  async function open(http: Context, projectId: string): Promise<Response> {
    const leaveSeat = takeSeat({ projectId, ip: clientIp(http, deps) })
    const ended = new AbortController()
    const timer = setInterval(() => {
      find(http).then(
        (caller) => caller ?? ended.abort(),
        () => ended.abort(),
      )
    }, deps.recheckMs ?? adminBounds.recheckMs)
    function onEnd(): void {
      clearInterval(timer)
      leaveSeat()
    }
    const signals = [http.req.raw.signal, ended.signal, ...(deps.closing ? [deps.closing] : [])]
    const lastEventId = http.req.header('last-event-id')
    const { db, notifier } = deps
    try {
      return await streamEvents({ db, notifier, projectId, lastEventId, signal: AbortSignal.any(signals), onEnd })
    } catch (error) {
      onEnd()
      throw error
    }
  }

  return {
    limits,
    open,
    async authenticate(http: Context): Promise<Caller> {
      const caller = await find(http)
      if (caller) return caller
      throw new ServerError('The key or session of the operator is missing, unknown or ended. Send it as bearer.', {
        code: 'UNAUTHENTICATED',
        status: 401,
      })
    },
  }
}

/**
 * Reads name and role from the current configuration, so that removing an operator from it also signs the operator out.
 */
function findCaller(access: ConsoleAccess | undefined, { id: sessionId, operatorId }: Found): Caller | null {
  const found = access?.operators?.find(({ id }) => id === operatorId)
  return found ? { operator: { id: found.id, name: found.name, role: found.role }, sessionId } : null
}

function createLimits({ db, limits }: adminApp.Deps) {
  const sweepMs = 600_000
  let sweptAt = performance.now()
  const all = { ...defaultAdminLimits, ...limits }
  return {
    async take(name: keyof AdminLimits, key: string): Promise<void> {
      if (performance.now() - sweptAt > sweepMs) {
        sweptAt = performance.now()
        await db.deleteFrom('admin_limits').where('free_at', '<', sql<Date>`latchkey_now()`).execute()
      }
      const taken = await takeToken(db, { key, ...all[name], table: 'admin_limits' })
      if (!taken.ok) throw tooManyRequests(`admin.${name}`, taken.retryAfterMs)
    },
  }
}

async function call(http: Context<Variables>, route: Route, context: CallContext): Promise<Response> {
  assertText([http.req.param(), http.req.query()])
  const outcome = await (route.isWrite ? runLogged : run)(http, route, context)
  if (outcome instanceof Response) return outcome
  if (outcome.version !== undefined) http.header('etag', `"${outcome.version}"`)
  return http.json(outcome.body, route.status)
}

async function run(http: Context<Variables>, route: Route, context: CallContext): ReturnType<Route['run']> {
  assertRole(route, context.operator)
  return route.run(context, await readRequest(http, route))
}

async function runLogged(http: Context<Variables>, route: Route, context: CallContext): ReturnType<Route['run']> {
  const { key, now, operator } = context
  const named = Object.entries(http.req.param()).map(([name, value]) => [name, String(value).slice(0, maxIdLength)])
  const { projectId, ...others }: Record<string, string | undefined> = Object.fromEntries(named)
  const [target] = Object.values(others)
  const entry = { key, now, operator, action: route.name, projectId, target, requestId: http.var.requestId }
  try {
    assertRole(route, operator)
    const request = await readRequest(http, route)
    return await inTransaction(context.db, async (trx) => {
      const outcome = await route.run({ ...context, db: trx }, request)
      if (outcome instanceof Response) return outcome
      const made = { projectId: projectId ?? outcome.projectId, target: target ?? outcome.target }
      const { before, after } = outcome
      await appendOperatorLog(trx, { ...entry, ...made, before, after, outcome: 'done' })
      return outcome
    })
  } catch (error) {
    if (error instanceof ServerError && error.status < 500)
      await appendOperatorLog(context.db, { ...entry, outcome: 'refused', code: error.code })
    throw error
  }
}

function assertRole({ role, name }: Route, operator: Operator): void {
  if (operatorRoles.indexOf(operator.role) >= operatorRoles.indexOf(role)) return
  throw new ServerError(
    `${name} needs the role ${role}; this key has the role ${operator.role}. Ask someone who has it.`,
    {
      code: 'ROLE_NOT_ALLOWED',
      status: 403,
    },
  )
}

async function readRequest({ req }: Context, { body }: Route): Promise<Parameters<Route['run']>[1]> {
  const bytes = body && (await readBody(req.raw, { maxBytes: adminBounds.bodyBytes }))
  const parsed = bytes === undefined || bytes.length === 0 ? {} : parseJson(bytes)
  assertText(parsed)
  return { params: req.param(), query: readQuery(req), body: parsed, ifMatch: req.header('if-match') }
}

/** Rejects repeated parameters, since a proxy that checks requests could read a different value than this server. */
function readQuery(req: Context['req']): Record<string, string> {
  const twice = Object.entries(req.queries()).find(([, values]) => values.length > 1)
  if (!twice) return req.query()
  throw new ServerError(`The parameter ${twice[0].slice(0, maxIdLength)} comes twice. Send it once.`, {
    code: 'REQUEST_INVALID',
  })
}

/** PostgreSQL cannot store the null character. */
function assertText(value: unknown): void {
  if (!JSON.stringify(value).includes('\\u0000')) return
  throw new ServerError('The request holds a character of code zero. Leave it out.', { code: 'REQUEST_INVALID' })
}

function toErrorBody(http: Context<Variables>, thrown: unknown, logger: Logger): Response {
  const toBody = ({ code, message }: ServerError): AdminErrorBody => ({
    error: { code, message, requestId: http.var.requestId },
  })
  return errorResponse(http, thrown, { logger, toBody })
}
