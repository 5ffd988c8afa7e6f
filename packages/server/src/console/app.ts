import { fileURLToPath } from 'node:url'
import { type Context, Hono } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import { type AdminErrorBody, adminPath, signInPaths } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { ServerError } from '../platform/errors/ServerError.ts'
import { errorResponse } from '../platform/http/errorResponse.ts'
import { assetResponse, readPages } from '../platform/http/pageFiles.ts'
import { requestId } from '../platform/http/requestId.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { measureRequests } from '../platform/observability/metrics.ts'
import {
  type Access,
  assertFromPage,
  loopbackAccess,
  sessionCookie,
  signedInAccess,
  toPageToken,
} from './consoleAccess.ts'
import { forwardRequest } from './forwardRequest.ts'

export declare namespace consoleApp {
  type Deps = {
    /** Admin API URL as reachable from this process, without a path. */
    adminUrl: string
    /** Devnet information for the page, as JSON at `/config.json`. @default {} */
    config?: Readonly<Record<string, unknown>> | undefined
    logger?: Logger | undefined
    /** Folder of the built page. @default the folder in this package */
    pagesDir?: string | undefined
    /** See `clientIp`. @default 0 */
    trustedProxies?: number | undefined
  } & (
    | {
        /** Key of the operator whose role every visitor has. It is never sent to a page. */
        operatorSecret: string
        publicUrl?: undefined
      }
    | {
        /** URL at which operators reach the console and sign in. */
        publicUrl: string
        operatorSecret?: undefined
      }
  )
  type ReturnType = Hono<Variables>
}

type Variables = { Variables: { requestId: string } }

/** The path has the same depth from `src/console` and from `dist/console`. */
const builtPages = fileURLToPath(new URL('../../console', import.meta.url))

/** Allows only the page's own files and server. Devnet mails are framed under their own policy. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Returns the console: its page, and the admin API behind it. With `publicUrl`, operators sign in by passkey and make
 * their own calls. With `operatorSecret` there is no login, and every caller has that operator's permissions: the app
 * accepts only loopback host names, and its listener must be bound to loopback as well.
 *
 * @throws `CONFIG_INVALID` if the page is not built.
 *
 * @example
 * ```ts
 * import { consoleApp, listen } from 'latchkey-server'
 *
 * const console = consoleApp({ adminUrl: 'http://localhost:4113', operatorSecret: 'lko_…' })
 * await listen((request) => console.fetch(request), { port: 4106 })
 * ```
 */
export function consoleApp(deps: consoleApp.Deps): consoleApp.ReturnType {
  const { adminUrl, trustedProxies, publicUrl } = deps
  const logger = deps.logger ?? silentLogger
  const files = readPages(deps.pagesDir ?? builtPages)
  const access = publicUrl === undefined ? loopbackAccess(deps.operatorSecret) : signedInAccess(publicUrl)
  const app = new Hono<Variables>()
  app.onError((error, http) => {
    const toBody = ({ code, message }: ServerError): AdminErrorBody => ({
      error: { code, message, requestId: http.var.requestId },
    })
    return errorResponse(http, error, { logger, toBody })
  })
  app.use('*', requestId())
  app.use('*', measureRequests('console'))
  app.use('*', async (http, next) => {
    access.assertOwnPage(http)
    await next()
  })
  app.all(`${adminPath}/*`, async (http) => {
    assertFromPage(http, access)
    return forwardRequest(http, { adminUrl, bearer: access.findBearer(http), trustedProxies })
  })
  if (publicUrl !== undefined) addSession(app, { access, adminUrl, trustedProxies })
  app.get('/config.json', (http) => {
    const pageToken = access.findToken(http)
    const login = publicUrl !== undefined && { signIn: 'passkey', ...(pageToken !== undefined && { pageToken }) }
    return http.json({ ...deps.config, ...login }, 200, { 'cache-control': 'no-store' })
  })
  app.get('*', (http) => {
    const file = files.get(http.req.path)
    if (file && http.req.path !== '/index.html')
      return assetResponse(file, { path: http.req.path, asked: http.req.raw.headers, headers: pageHeaders })
    const index = files.get('/index.html')
    // A path without a file extension is a route of the page.
    if (!index || /\.\w+$/.test(http.req.path.replace('/index.html', '/'))) return http.notFound()
    const headers = { ...pageHeaders, 'content-type': index.contentType, 'cache-control': 'no-store' }
    return new Response(index.content, { headers })
  })
  return app
}

type SessionParts = { access: Access; adminUrl: string; trustedProxies: number | undefined }

/** The admin API's response to a sign-in. */
const signedIn = z.object({
  operator: z.unknown(),
  secret: z.string().regex(/^[\w-]{1,200}$/),
  expiresAt: z.iso.datetime(),
})

function addSession(app: Hono<Variables>, { access, adminUrl, trustedProxies }: SessionParts): void {
  const cookie = { path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const
  const ask = (http: Context, path: string, bearer?: string) =>
    forwardRequest(http, { adminUrl, path: `${adminPath}${path}`, bearer, trustedProxies })
  app.post('/session/challenge', (http) => ask(http, signInPaths.challenge))
  app.post('/session', async (http) => {
    const response = await ask(http, signInPaths.session)
    if (response.status !== 201) return response
    const { operator, secret, expiresAt } = signedIn.parse(await response.json())
    setCookie(http, sessionCookie, secret, { ...cookie, expires: new Date(expiresAt) })
    return http.json({ operator, expiresAt, pageToken: toPageToken(secret) }, 201, { 'cache-control': 'no-store' })
  })
  app.delete('/session', async (http) => {
    assertFromPage(http, access)
    // Deletes the cookie even if the admin API is unreachable.
    deleteCookie(http, sessionCookie, cookie)
    const { status } = await ask(http, '/session', access.findBearer(http))
    // A session that has ended counts as signed out.
    return http.body(null, status < 500 ? 204 : 503)
  })
}
