import type { AccessTokenClaims } from 'latchkey-protocol'
import { BaseError } from '../errors/BaseError.ts'
import { verifyAccessToken } from './verifyAccessToken.ts'

export declare namespace createAccessTokenCookie {
  type Parameters = Omit<verifyAccessToken.Parameters, 'token' | 'now'> & {
    /** @default '__Host-latchkey-access-token'; without `isSecure`, 'latchkey-access-token' */
    name?: string | undefined
    /**
     * `Lax` sends the cookie when the user follows a link from another site. `Strict` does not, so the server renders
     * that page signed out.
     * @default 'Lax'
     */
    sameSite?: 'Lax' | 'Strict' | undefined
    /**
     * Whether the cookie requires https. All browsers except Safari also accept secure cookies from http://localhost.
     * @default true
     */
    isSecure?: boolean | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /**
     * Handles the app's session route. `POST` with an access token as bearer sets the cookie (204). `DELETE` removes
     * it. Responds with 401 to invalid tokens and with 403 to requests from other sites.
     */
    handle(request: Request): Promise<Response>
    /**
     * Returns the claims of the signed-in user, or undefined. Ignores the cookie of a state-changing request unless a
     * page of the app's origin sent it.
     *
     * @throws As {@link verifyAccessToken}, except `UNAUTHENTICATED`.
     */
    read(request: Pick<Request, 'headers' | 'method' | 'url'>): Promise<AccessTokenClaims | undefined>
  }
}

/**
 * Creates a cookie that carries the access token to the app's server, so that the server can render pages for the
 * signed-in user. The cookie is HttpOnly and limited to this host. It expires with the token after at most five
 * minutes, and the page renews it through the app's session route. Until it expires, anyone who has the cookie can act
 * as the user.
 *
 * @example
 * ```ts
 * import { createAccessTokenCookie } from 'latchkey/server'
 *
 * const session = createAccessTokenCookie({ projectId: 'demo', signerApiUrl: 'http://localhost:4101' })
 *
 * export async function handle(request: Request): Promise<Response> {
 *   if (new URL(request.url).pathname === '/api/session') return session.handle(request)
 *   const user = await session.read(request)
 *   return new Response(user ? `Hello ${user.sub}` : 'Sign in first.')
 * }
 * ```
 */
export function createAccessTokenCookie(
  parameters: createAccessTokenCookie.Parameters,
): createAccessTokenCookie.ReturnType {
  const { sameSite = 'Lax', isSecure = true, now = Date.now, ...project } = parameters
  // Only this host can set a cookie with the `__Host-` prefix; its subdomains cannot (RFC 6265bis § 4.1.3.2).
  const name = parameters.name ?? `${isSecure ? '__Host-' : ''}latchkey-access-token`
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`

  async function verify(token: string): Promise<AccessTokenClaims | undefined> {
    return verifyAccessToken({ ...project, token, now: now() }).catch((error: unknown) => {
      if (error instanceof BaseError && error.code === 'UNAUTHENTICATED') return undefined
      throw error
    })
  }

  return {
    async handle(request) {
      if (!isOwnRequest(request)) return respond(403, 'Another site sent this request.')
      if (request.method === 'DELETE') return setCookie(`${name}=; Max-Age=0; ${attributes}`)
      if (request.method !== 'POST') return respond(405, 'Use POST or DELETE.', { allow: 'POST, DELETE' })
      const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
      const claims = await verify(token)
      const seconds = claims ? Math.floor(claims.exp - now() / 1000) : 0
      if (seconds <= 0) return respond(401, 'Send an access token as bearer.')
      return setCookie(`${name}=${token}; Max-Age=${seconds}; ${attributes}`)
    },
    async read(request) {
      const isSafe = request.method === 'GET' || request.method === 'HEAD'
      if (!isSafe && !isOwnRequest(request)) return undefined
      const token = readCookie(request.headers.get('cookie'), name)
      return token === undefined ? undefined : verify(token)
    },
  }
}

/**
 * Checks whether a page of the app's origin sent the request, by the headers that browsers add (Fetch Metadata,
 * `Origin`). Requests without these headers come from programs, which have no access to users' cookies.
 */
function isOwnRequest({ headers, url }: Pick<Request, 'headers' | 'url'>): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = headers.get('origin')
  return origin === null || origin === `https://${headers.get('host')}` || origin === new URL(url).origin
}

function readCookie(header: string | null, name: string): string | undefined {
  const found = (header ?? '').split(';').find((part) => part.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}

function setCookie(cookie: string): Response {
  return new Response(null, { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
}

function respond(status: number, message: string, headers?: Record<string, string>): Response {
  return new Response(message, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
