import type { SignerApiErrorBody } from 'latchkey/wire'
import type { Logger } from './logger.ts'
import { toServerError } from './toServerError.ts'

/** Answers any thrown value as JSON `{ code, message }` with the error's HTTP status. */
export function errorResponse(error: unknown, logger: Logger, fields?: Record<string, unknown>): Response {
  const { code, message, status } = toServerError(error, logger, fields)
  return Response.json({ code, message } satisfies SignerApiErrorBody, { status })
}
