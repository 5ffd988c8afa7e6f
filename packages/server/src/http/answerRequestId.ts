import type { MiddlewareHandler } from 'hono'
import { requestId, requestIdHeader } from './requestId.ts'

/** Puts the id of each request into its answer: people who report a problem can name it. */
export function answerRequestId(): MiddlewareHandler {
  return async (context, next) => {
    await next()
    context.res.headers.set(requestIdHeader, requestId(context.req.raw))
  }
}
