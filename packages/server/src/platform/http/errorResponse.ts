import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SignerApiErrorBody } from 'latchkey-protocol'
import { isDatabaseBusy, isDatabaseUnable, isDatabaseUnreachable } from '../errors/databaseErrors.ts'
import { ServerError } from '../errors/ServerError.ts'
import { describeError } from '../observability/describeError.ts'
import type { Logger } from '../observability/logger.ts'
import { noteRefusal } from '../observability/securityEvents.ts'

export declare namespace errorResponse {
  type Options = {
    logger: Logger
    /** @default `{ code, message }`, `details` for an account that is being deleted, `data` for a second factor. */
    toBody?: ((error: ServerError) => object) | undefined
  }
}

/**
 * Returns the JSON response to any thrown value, with the error's HTTP status. `Retry-After` is in whole seconds,
 * rounded up (RFC 9110 § 10.2.3).
 */
export function errorResponse(
  context: Context,
  thrown: unknown,
  { logger, toBody = toSignerApiBody }: errorResponse.Options,
): Response {
  const request = { path: context.req.path, requestId: context.get('requestId') }
  const error = toServerError(thrown, logger, request)
  noteRefusal(logger, { code: error.code, ...request })
  if (error.retryAfterMs !== undefined)
    context.header('retry-after', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))))
  return context.json(toBody(error), error.status as ContentfulStatusCode)
}

function toSignerApiBody({ code, message, details }: ServerError): SignerApiErrorBody {
  if (code === 'MFA_REQUIRED') return { code, message, data: details[0] }
  return { code, message, ...(code === 'ORGANIZATION_DELETING' && { details }) }
}

/**
 * Converts any thrown value into a {@link ServerError}. An unexpected error is a defect: it is logged with its stack,
 * and the caller gets no details.
 */
export function toServerError(error: unknown, logger: Logger, fields: Record<string, unknown> = {}): ServerError {
  if (error instanceof ServerError) {
    if (error.status >= 500)
      logger.error({ ...fields, code: error.code, cause: describeError(error.cause) }, error.message)
    return error
  }
  if (isDatabaseUnreachable(error)) {
    logger.error({ ...fields, cause: describeError(error) }, 'The database does not answer')
    return new ServerError('The server cannot reach its database. Try again in a moment.', {
      code: 'DATABASE_UNREACHABLE',
      status: 503,
      cause: error,
    })
  }
  if (isDatabaseUnable(error)) {
    logger.error({ ...fields, cause: describeError(error) }, 'The database takes no writes')
    return new ServerError('The server cannot write to its database. Try again in a moment.', {
      code: 'DATABASE_UNREACHABLE',
      status: 503,
      cause: error,
    })
  }
  if (isDatabaseBusy(error)) {
    logger.warn({ ...fields, cause: describeError(error) }, 'The database is too busy')
    return new ServerError('The server is too busy to do this now. Try again in a moment.', {
      code: 'DATABASE_BUSY',
      status: 503,
      retryAfterMs: 1_000,
      cause: error,
    })
  }
  logger.error({ ...fields, cause: describeError(error) }, 'Unexpected error')
  return new ServerError('Something went wrong on the server. Try again in a moment.', {
    code: 'INTERNAL',
    status: 500,
    cause: error,
  })
}
