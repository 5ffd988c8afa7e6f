import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { consoleHeader } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'

/** Authenticates the console's calls and checks that they come from its own page. */
export type Access = {
  /** Rejects requests from other pages and from rebound host names. */
  assertOwnPage(http: Context): void
  /** Returns the request's bearer token, or undefined if signed out. */
  findBearer(http: Context): string | undefined
  /** Returns the required value of `consoleHeader`, or undefined if any value is accepted. */
  findToken(http: Context): string | undefined
}

/** Grants every visitor the rights of one operator. Accepts only requests from this machine. */
export function loopbackAccess(operatorSecret: string): Access {
  return {
    assertOwnPage({ req }) {
      const { hostname, origin } = new URL(req.url)
      const from = req.header('origin')
      if (isThisMachine(hostname) && (from === undefined || from === origin)) return
      throw refused('The console without a login serves its own page on this machine alone.')
    },
    findBearer: () => operatorSecret,
    findToken: () => undefined,
  }
}

/**
 * The prefix `__Host-` limits the cookie to this host and to TLS, and no other host can set it (RFC 6265bis § 4.1.3.2).
 */
export const sessionCookie = '__Host-latchkey-console'

/** Identifies visitors by a session cookie that scripts cannot read and that requests from other pages do not carry. */
export function signedInAccess(publicUrl: string): Access {
  const { origin } = new URL(publicUrl)
  const findBearer = (http: Context) => getCookie(http, sessionCookie)
  return {
    assertOwnPage({ req }) {
      const from = req.header('origin')
      // Browsers send `Origin` with every request except GET and HEAD (Fetch § 3.2).
      const isRead = req.method === 'GET' || req.method === 'HEAD'
      if (from === origin || (isRead && from === undefined)) return
      throw refused('The console takes calls of its own page alone. Is LATCHKEY_CONSOLE_URL its address?')
    },
    findBearer,
    findToken(http) {
      const secret = findBearer(http)
      return secret === undefined ? undefined : toPageToken(secret)
    },
  }
}

/**
 * Returns a token that proves a page can read this server's responses. It is derived from the session by a one-way
 * function.
 */
export function toPageToken(secret: string): string {
  return createHmac('sha256', secret).update('latchkey console page').digest('base64url')
}

/**
 * Checks that a request comes from the console's page. Pages of other origins do not have the session's token, and
 * cannot set a custom header without a preflight, which is refused (Fetch § CORS).
 */
export function assertFromPage(http: Context, access: Access): void {
  const given = http.req.header(consoleHeader)
  const token = access.findToken(http)
  if (given !== undefined && (token === undefined || isEqual(given, token))) return
  throw refused(`Calls of the console's page carry ${consoleHeader}${token === undefined ? '' : ' with its token'}.`)
}

function isEqual(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function refused(message: string): ServerError {
  return new ServerError(message, { code: 'ORIGIN_NOT_ALLOWED', status: 403 })
}
