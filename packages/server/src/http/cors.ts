import type { MiddlewareHandler } from 'hono'

/**
 * CORS (WHATWG Fetch § 3.2) for one API. An origin that is not allowed gets no CORS header, so its page cannot read the
 * answer; the request itself is judged by its stamp or API key. No cookies are used, so credentials are never allowed.
 */
export function cors(options: cors.Options): MiddlewareHandler {
  const allowHeaders = options.allowHeaders.join(', ')
  const allowMethods = (options.allowMethods ?? ['POST']).join(', ')
  return async (context, next) => {
    const origin = context.req.header('origin')
    const allowed = origin !== undefined && (options.isAllowed === 'any' || (await options.isAllowed(origin)))
    const preflight = context.req.method === 'OPTIONS' && context.req.header('access-control-request-method')
    const headers = new Headers({ vary: 'Origin' })
    if (allowed) {
      headers.set('access-control-allow-origin', options.isAllowed === 'any' ? '*' : origin)
      if (!preflight) headers.set('access-control-expose-headers', 'Date, Retry-After, X-Request-Id')
    }
    if (preflight) {
      if (allowed) {
        headers.set('access-control-allow-methods', allowMethods)
        headers.set('access-control-allow-headers', allowHeaders)
        headers.set('access-control-max-age', '600')
      }
      return new Response(null, { status: 204, headers })
    }
    await next()
    for (const [name, value] of headers) context.res.headers.set(name, value)
    return undefined
  }
}

export declare namespace cors {
  type Options = {
    /** `any` only for public answers without secrets. */
    isAllowed: 'any' | ((origin: string) => boolean | Promise<boolean>)
    allowHeaders: readonly string[]
    /** @default ['POST'] */
    allowMethods?: readonly string[] | undefined
  }
}
