import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * A listener whose work may fail once the caller has ended: a tab that was closed, a process that was killed. No test waits for
 * that failure, and an unhandled rejection would fail a whole run of tests.
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
