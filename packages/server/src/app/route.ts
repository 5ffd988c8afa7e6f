import type { Role } from './options.ts'

/** What serves the requests of one role. */
export type App = { fetch(request: Request, env?: object): Response | Promise<Response> }

const prefixes: readonly [prefix: string, role: Role][] = [
  ['/public', 'custody'],
  ['/signer', 'signer-api'],
  ['/v2', 'gateway'],
]

/**
 * Hands a request to the role its path belongs to; what belongs to none goes to the frames, or to the only role there is.
 * `GET /healthz` answers which roles run.
 */
export async function route(apps: ReadonlyMap<Role, App>, request: Request, env?: object): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/healthz') return Response.json({ status: 'ok', roles: [...apps.keys()] })
  const [, role] = prefixes.find(([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`)) ?? []
  const only = apps.size === 1 ? [...apps.values()][0] : undefined
  const app = (role && apps.get(role)) ?? apps.get('frames') ?? only
  if (app) return app.fetch(request, env)
  const message = `Nothing is served at this path. Roles of this server: ${[...apps.keys()].join(', ') || 'mail'}.`
  return Response.json({ code: 'NOT_FOUND', message }, { status: 404 })
}
