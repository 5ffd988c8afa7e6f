import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * A listener whose work may fail once who asked has gone: a tab that was closed, a process that was killed. Nobody waits for
 * that failure, and as a rejection that nobody handles it would fail a whole run of tests.
 */
export function answer(handle: (request: IncomingMessage, response: ServerResponse) => unknown): RequestListener {
  return async (request, response) => {
    try {
      await handle(request, response)
    } catch (error) {
      if (!request.socket.destroyed) throw error
    }
  }
}
