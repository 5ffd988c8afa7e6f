import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'

/** Request headers that clients send to the signer API and the gateway. */
export const clientHeaders = ['authorization', 'content-type', 'alchemy-aa-sdk-version', 'alchemy-aa-sdk-signer']

export declare namespace cors {
  type Options = {
    /** `any` only for public responses without secrets. */
    isAllowed: 'any' | ((origin: string) => boolean | Promise<boolean>)
    allowHeaders: readonly string[]
    /** @default ['POST'] */
    allowMethods?: readonly string[] | undefined
  }
}

/**
 * CORS (WHATWG Fetch § 3.2) for one API. An origin that is not allowed gets no CORS header, so its page cannot read the
 * response; the stamp or API key decides on the request itself. No cookies are used, so credentials are never allowed.
 */
export function cors(options: cors.Options): MiddlewareHandler {
  const { isAllowed, allowHeaders, allowMethods = ['POST'] } = options
  const grant = honoCors({
    // A function in both cases: with the text '*' the response would not vary by origin.
    origin: (origin) => (isAllowed === 'any' ? '*' : origin),
    allowHeaders: [...allowHeaders],
    allowMethods: [...allowMethods],
    exposeHeaders: ['Date', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  })
  return async (context, next) => {
    const origin = context.req.header('origin')
    if (origin !== undefined && (isAllowed === 'any' || (await isAllowed(origin)))) return grant(context, next)
    // hono/cors names methods, headers and age to an origin that is not allowed, too.
    const isPreflight = context.req.method === 'OPTIONS' && context.req.header('access-control-request-method')
    if (isPreflight) return context.body(null, 204, { vary: 'Origin' })
    await next()
    context.res.headers.append('vary', 'Origin')
    return undefined
  }
}
