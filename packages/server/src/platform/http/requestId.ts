import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { requestId as honoRequestId } from 'hono/request-id'

export const requestIdHeader = 'x-request-id'

const current = new AsyncLocalStorage<string>()

/** Returns the id of the current request; undefined in jobs. */
export function readRequestId(): string | undefined {
  return current.getStore()
}

/**
 * Assigns each request an id, which is in `context.get('requestId')`, in log lines and in the response's
 * `X-Request-Id`. Accepts an incoming id of plain form, so that one id covers several roles. Read it with
 * `readRequestId`.
 *
 * The header is set in the context: create responses with `context.json` and similar methods, not with `new Response`.
 */
export function requestId(): MiddlewareHandler {
  const assign = honoRequestId({
    headerName: requestIdHeader,
    // The library would also accept ids that are a single character or contain `=`. With a limit of 0, only the
    // generator below decides.
    limitLength: 0,
    generator({ req }) {
      const given = req.header(requestIdHeader)
      return given !== undefined && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
    },
  })
  return (context, next) => assign(context, () => current.run(context.get('requestId'), next))
}
