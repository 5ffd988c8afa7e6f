import type { MiddlewareHandler } from 'hono'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])
const isLoopback = (hostname: string) => loopbackHosts.has(hostname) || hostname.endsWith('.localhost')

/**
 * Creates middleware that accepts only pages of the server's own origin. The host must be a loopback name, which
 * rejects DNS rebinding, and an `Origin`, if sent, must be the server's own. Sends no CORS headers.
 */
export function ownOriginOnly(): MiddlewareHandler {
  return async (context, next) => {
    const url = new URL(context.req.url)
    if (!isLoopback(url.hostname)) {
      return context.json({ code: 'ORIGIN_NOT_ALLOWED', message: 'Only loopback host names are served here.' }, 421)
    }
    const origin = context.req.header('origin')
    if (origin !== undefined && origin !== url.origin) {
      return context.json({ code: 'ORIGIN_NOT_ALLOWED', message: 'Requests of other origins are refused.' }, 403)
    }
    return next()
  }
}
