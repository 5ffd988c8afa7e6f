import { followDevnetClock, machineClock, type RoleClock } from '../platform/database/devnetClock.ts'
import { migrate } from '../platform/database/migrate.ts'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { hasUnreadableProxy } from '../platform/http/clientIp.ts'
import { toServerError } from '../platform/http/errorResponse.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { createLogger } from './createLogger.ts'
import { createReadiness, type Readiness } from './createReadiness.ts'
import { createReload, type LiveOptions, type ReloadStep } from './createReload.ts'
import { keepSecurityEvents } from './keepSecurityEvents.ts'
import { listSharedNeeds } from './listSharedNeeds.ts'
import { directUrl, openStores, registerProjects, type Stores } from './openStores.ts'
import type { Role, ServerOptions } from './options.ts'
import { reportCopy } from './reportCopy.ts'
import { type App, startRoles } from './startRoles.ts'
import { withCommonHeaders } from './withCommonHeaders.ts'

export declare namespace createServer {
  type Options = ServerOptions
  type ReturnType = {
    /**
     * `env` contains the connection, as passed by `listen` and `@hono/node-server`. Without `env`, client IP addresses
     * are unknown.
     */
    fetch(request: Request, env?: object): Promise<Response>
    /**
     * Returns the time that roles use, in milliseconds since the epoch: the machine's clock, unless `devnetClock` is
     * set.
     */
    now(): number
    /**
     * Starts shutdown: `GET /readyz` returns 503 from now on, and long-running requests end, such as operation waits
     * and event streams. Other requests are served until `close`.
     */
    drain(): void
    /**
     * Replaces projects, token issuers, gas policies, webhook secrets and passkey operators with those from `read`;
     * other options do not change. If a role refuses the options, nothing changes; the refusal is logged and shown in
     * `GET /readyz` and `latchkey_config_current`. Returns whether the new options are in use.
     */
    reload(options: createReload.Reload): Promise<boolean>
    /** Stops the roles and closes the database connections. */
    close(): Promise<void>
  }
  type ErrorType = ServerError
}

/**
 * Creates a server with some or all roles behind one `fetch` function. Serve it with `listen`, or pass it to any other
 * HTTP host.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`.
 *
 * @example
 * ```ts
 * import { createServer, listen } from 'latchkey-server'
 *
 * const server = await createServer({
 *   roles: ['mail'],
 *   databaseUrl: 'postgres://user:password@localhost:5432/latchkey',
 *   rootOrganizationId: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
 *   urls: { custody: 'https://a.example', authFrame: 'https://b.example', exportFrame: '', importFrame: '' },
 *   mail: { smtpUrl: 'smtp://localhost:25', from: 'Example <no-reply@example.com>', sealKey: '11'.repeat(32) },
 * })
 * await listen(server.fetch, { port: 8080 })
 * ```
 */
export async function createServer(options: createServer.Options): Promise<createServer.ReturnType> {
  const logger = toOwn(options.logger ?? createLogger())
  if (options.roles.length === 0) throw configInvalid('No role was given. Choose at least one.')
  if (options.migrate) await migrate({ databaseUrl: directUrl(options) })
  const closers: (() => Promise<void>)[] = []
  const drained = new AbortController()
  async function close(): Promise<void> {
    drained.abort()
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const onClose = (closer: () => Promise<void>) => void closers.push(closer)
  try {
    const stores = await openStores({ options, logger, onClose })
    await registerProjects(stores, options.projects)
    const clock = await openClock({ options, stores, logger })
    onClose(clock.close)
    const live: LiveOptions = { current: options }
    const steps: ReloadStep[] = [(next) => registerProjects(stores, next.projects)]
    const onReload = (step: ReloadStep) => void steps.push(step)
    const draining = drained.signal
    const apps = await startRoles({ options, live, stores, clock, logger, draining, onReload, onClose })
    const { reload, findProblem } = createReload({ live, steps, logger })
    const readiness = createReadiness(stores, {
      shared: listSharedNeeds(options),
      findCopyProblems: () => [
        ...(findProblem() === undefined ? [] : (['oldConfig'] as const)),
        ...(hasUnreadableProxy(logger) ? (['proxy'] as const) : []),
      ],
    })
    onClose(async () => readiness.close())
    onClose(reportCopy({ stores, roles: options.roles, readiness }))
    onClose(keepSecurityEvents({ stores, roles: options.roles, logger }))
    return {
      async fetch(request, env) {
        const serve = () => route(apps, request, env)
        const response = await respond(request, { readiness, roles: options.roles, serve }).catch((error) =>
          toResponse(toServerError(error, logger)),
        )
        const { hostname } = new URL(request.url)
        return withCommonHeaders(response, { hostname, isProduction: !options.exemptLoopback })
      },
      drain() {
        readiness.drain()
        drained.abort()
      },
      reload,
      now: clock.now,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns a separate logger for this server, since a process may pass the same logger to several servers. */
function toOwn(logger: Logger): Logger {
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}

async function openClock(parts: { options: ServerOptions; stores: Stores; logger: Logger }): Promise<RoleClock> {
  const { options, stores, logger } = parts
  const [store] = stores.values()
  return options.devnetClock && store ? followDevnetClock({ ...store, logger }) : machineClock
}

type Checks = { readiness: Readiness; roles: readonly Role[]; serve(): Promise<Response> }

async function respond(request: Request, { readiness, roles, serve }: Checks): Promise<Response> {
  const { pathname } = new URL(request.url)
  const isCheck = pathname === '/readyz' || pathname === '/healthz'
  if (isCheck && !['GET', 'HEAD'].includes(request.method))
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
  if (pathname === '/readyz') return readiness.respond()
  return pathname === '/healthz' ? Response.json({ status: 'ok', roles: [...new Set(roles)] }) : serve()
}

const paths: readonly [path: RegExp, role: Role][] = [
  [/^\/public(?:\/|$)/, 'custody'],
  [/^\/signer(?:\/|$)/, 'signer-api'],
  [/^\/admin(?:\/|$)/, 'admin'],
  // Matches `/{chain}/v2`.
  [/^(?:\/[^/]+)?\/v2(?:\/|$)/, 'gateway'],
]

/** Routes a request to the role that serves its path. Other paths go to the frames, or to the server's only role. */
export async function route(apps: ReadonlyMap<Role, App>, request: Request, env?: object): Promise<Response> {
  const { pathname } = new URL(request.url)
  const [, role] = paths.find(([path]) => path.test(pathname)) ?? []
  const only = apps.size === 1 ? [...apps.values()][0] : undefined
  const app = (role && apps.get(role)) ?? apps.get('frames') ?? only
  if (app) return app.fetch(request, env)
  const message = `Nothing is served at this path. Roles of this server: ${[...apps.keys()].join(', ') || 'none that takes requests'}.`
  return toResponse({ code: 'NOT_FOUND', message, status: 404 })
}

function toResponse({ code, message, status }: Pick<ServerError, 'code' | 'message' | 'status'>): Response {
  return Response.json({ code, message }, { status })
}
