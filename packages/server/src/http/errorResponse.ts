import type { SignerApiErrorBody } from 'latchkey/wire'
import { errorHeaders } from './errorHeaders.ts'
import type { Logger } from './logger.ts'
import { toServerError } from './toServerError.ts'

/** Answers any thrown value as JSON `{ code, message }` with the error's HTTP status. */
export function errorResponse(error: unknown, logger: Logger, fields?: Record<string, unknown>): Response {
  const known = toServerError(error, logger, fields)
  const { code, message, status } = known
  return Response.json({ code, message } satisfies SignerApiErrorBody, { status, headers: errorHeaders(known) })
}
