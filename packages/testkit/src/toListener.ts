import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Ignores failures after the caller has ended, such as a closed tab or a killed process, since an unhandled rejection
 * would fail the whole run.
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
