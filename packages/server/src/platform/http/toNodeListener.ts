import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { listen } from './listen.ts'

/**
 * Returns a listener of Node's `http` for a `fetch` function, for apps that embed a server: middleware of Express, or the
 * handler of `http.createServer`. It needs the request's body unread, so use it before body parsers.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { toNodeListener } from 'latchkey-server'
 *
 * createServer(toNodeListener(() => new Response('It works.'))).listen(8080)
 * ```
 */
export function toNodeListener(
  fetch: listen.Fetch,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const listener = getRequestListener(fetch)
  return async (request, response) => {
    await listener(request, response)
  }
}
