import { toServerError } from '../http/errorResponse.ts'
import { configInvalid, type ServerError } from '../http/ServerError.ts'
import { migrate } from '../store/migrate.ts'
import { createLogger } from './createLogger.ts'
import { databaseUrl, openStores, registerProjects } from './openStores.ts'
import type { Role, ServerOptions } from './options.ts'
import { type App, startRoles } from './startRoles.ts'

export declare namespace createServer {
  type Options = ServerOptions
  type ReturnType = {
    /** `env` holds the connection, as `listen` and `@hono/node-server` give it; without it clients' addresses are unknown. */
    fetch(request: Request, env?: object): Promise<Response>
    /** Stops the roles and closes the database connections. */
    close(): Promise<void>
  }
  type ErrorType = ServerError
}

/**
 * The server: some or all of its roles behind one `fetch` function. Serve it with `listen`, or pass it to any other
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
  const logger = options.logger ?? createLogger()
  if (options.roles.length === 0) throw configInvalid('No role was given. Choose at least one.')
  if (options.migrate) await migrate({ databaseUrl: databaseUrl(options) })
  const closers: (() => Promise<void>)[] = []
  async function close(): Promise<void> {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  const onClose = (closer: () => Promise<void>) => void closers.push(closer)
  try {
    const stores = await openStores({ options, logger, onClose })
    await registerProjects(stores, options.projects)
    const apps = await startRoles({ options, stores, logger, onClose })
    return {
      fetch: (request, env) => route(apps, request, env).catch((error) => toResponse(toServerError(error, logger))),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const paths: readonly [path: RegExp, role: Role][] = [
  [/^\/public(?:\/|$)/, 'custody'],
  [/^\/signer(?:\/|$)/, 'signer-api'],
  [/^\/admin(?:\/|$)/, 'admin'],
  // `/{chain}/v2`
  [/^(?:\/[^/]+)?\/v2(?:\/|$)/, 'gateway'],
]

/**
 * Passes a request to the role of its path; one of no role goes to the frames, or to the only role there is.
 * `GET /healthz` returns which roles run.
 */
export async function route(apps: ReadonlyMap<Role, App>, request: Request, env?: object): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/healthz') return Response.json({ status: 'ok', roles: [...apps.keys()] })
  const [, role] = paths.find(([path]) => path.test(pathname)) ?? []
  const only = apps.size === 1 ? [...apps.values()][0] : undefined
  const app = (role && apps.get(role)) ?? apps.get('frames') ?? only
  if (app) return app.fetch(request, env)
  const message = `Nothing is served at this path. Roles of this server: ${[...apps.keys()].join(', ') || 'mail'}.`
  return toResponse({ code: 'NOT_FOUND', message, status: 404 })
}

function toResponse({ code, message, status }: Pick<ServerError, 'code' | 'message' | 'status'>): Response {
  return Response.json({ code, message }, { status })
}
