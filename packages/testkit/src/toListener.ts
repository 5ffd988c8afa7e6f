import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Creates a listener. Ignores failures after the client has disconnected, for example by a closed tab, because an
 * unhandled rejection would fail the whole run.
 */
export function toListener(handle: (request: IncomingMessage, response: ServerResponse) => unknown): RequestListener {
  return async (request, response) => {
    try {
      await handle(request, response)
    } catch (error) {
      if (!request.socket.destroyed) throw error
    }
  }
}
