import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'

/** Request headers that clients send to the signer API and the gateway. */
export const clientHeaders = [
  'authorization',
  'content-type',
  'alchemy-aa-sdk-version',
  'alchemy-aa-sdk-signer',
  'traceparent',
  'tracestate',
  'x-alchemy-client-breadcrumb',
  'x-alchemy-client-trace-id',
]

/**
 * Seconds that a browser caches a preflight response: Chromium's maximum. The cache grants no access, since a removed
 * origin cannot read any further response.
 */
const maxAgeSeconds = 7_200

export declare namespace cors {
  type Options = {
    /** `any` is only for public responses without secrets. */
    isAllowed: 'any' | ((origin: string) => boolean | Promise<boolean>)
    allowHeaders: readonly string[]
    /** @default ['POST'] */
    allowMethods?: readonly string[] | undefined
  }
}

/**
 * Returns CORS middleware (WHATWG Fetch § 3.2) for one API. An origin that is not allowed gets no CORS header, so its
 * page cannot read the response. The stamp or API key decides whether the request itself is allowed. Never allows
 * credentials, so cookies are not used.
 */
export function cors({ isAllowed, allowHeaders, allowMethods = ['POST'] }: cors.Options): MiddlewareHandler {
  const toAllowOrigin = (origin: string) => (isAllowed === 'any' ? '*' : origin)
  const grantPreflight = honoCors({
    origin: toAllowOrigin,
    allowHeaders: [...allowHeaders],
    allowMethods: [...allowMethods],
    maxAge: maxAgeSeconds,
  })
  return async (context, next) => {
    const origin = context.req.header('origin')
    const isGranted = origin !== undefined && (isAllowed === 'any' || (await isAllowed(origin)))
    if (context.req.method === 'OPTIONS' && context.req.header('access-control-request-method')) {
      // hono/cors also reveals methods, headers and max age to disallowed origins.
      return isGranted ? grantPreflight(context, next) : context.body(null, 204, { vary: 'Origin' })
    }
    await next()
    // hono/cors copies the response into a stream to extend Vary, which almost doubles the CPU time of a call.
    const { headers } = context.res
    headers.append('vary', 'Origin')
    if (isGranted) {
      headers.set('access-control-allow-origin', toAllowOrigin(origin))
      headers.set('access-control-expose-headers', 'Date, Retry-After, X-Request-Id')
    }
    return undefined
  }
}
