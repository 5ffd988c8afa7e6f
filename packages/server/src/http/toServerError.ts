import { isDatabaseBusy, isDatabaseGone } from './databaseErrors.ts'
import type { Logger } from './logger.ts'
import { ServerError } from './ServerError.ts'

/**
 * Turns anything thrown into a {@link ServerError}. What is not one already is a defect: it is logged with its
 * stack and answered without a detail, so nothing internal leaks to a caller.
 */
export function toServerError(error: unknown, logger: Logger, fields: Record<string, unknown> = {}): ServerError {
  if (error instanceof ServerError) {
    if (error.status >= 500) logger.error({ ...fields, code: error.code, cause: describe(error.cause) }, error.message)
    return error
  }
  if (isDatabaseGone(error)) {
    logger.error({ ...fields, cause: describe(error) }, 'The database does not answer')
    return new ServerError('The server cannot reach its database. Try again in a moment.', {
      code: 'DATABASE_UNREACHABLE',
      status: 503,
      cause: error,
    })
  }
  if (isDatabaseBusy(error)) {
    logger.warn({ ...fields, cause: describe(error) }, 'The database is too busy')
    return new ServerError('The server is too busy to do this now. Try again in a moment.', {
      code: 'DATABASE_BUSY',
      status: 503,
      retryAfterMs: 1_000,
      cause: error,
    })
  }
  logger.error({ ...fields, cause: describe(error) }, 'Unexpected error')
  return new ServerError('Something went wrong on the server. Try again in a moment.', {
    code: 'INTERNAL',
    status: 500,
    cause: error,
  })
}

/** Stack and code of a cause, as text: other members of an error (queries, parameters) may hold secrets. */
function describe(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  if (cause instanceof Error) return cause.stack ?? cause.message
  return typeof cause
}
