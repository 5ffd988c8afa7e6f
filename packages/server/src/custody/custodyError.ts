import type { CustodyErrorBody, ErrorCode } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import { countLimit } from '../platform/limits/limitNames.ts'

/**
 * HTTP status of each error code (custody protocol § 2.2). There are two exceptions: a taken credential has status 400,
 * and a call with another method has status 405.
 */
export const custodyStatuses = {
  REQUEST_INVALID: 400,
  INVALID_ORGANIZATION_ID: 400,
  INVALID_EMAIL: 400,
  ORGANIZATION_MISMATCH: 400,
  REDIRECT_NOT_ALLOWED: 400,
  FOREIGN_CREDENTIAL: 400,
  CONFIRMATION_EXPIRED: 403,
  CONFIRMATION_NEEDED: 403,
  CONFIRMATION_REFUSED: 403,
  ORGANIZATION_DELETING: 403,
  ORGANIZATION_FROZEN: 403,
  MFA_INVALID: 400,
  MFA_REQUIRED: 403,
  OIDC_TOKEN_INVALID: 400,
  OTP_INVALID: 400,
  OTP_EXPIRED: 400,
  SIGNATURE_MISSING: 401,
  SIGNATURE_INVALID: 401,
  PUBLIC_KEY_NOT_FOUND: 401,
  API_KEY_EXPIRED: 401,
  CREDENTIAL_NOT_FOUND: 401,
  CREDENTIAL_CONFLICT: 401,
  REQUEST_NOT_AUTHORIZED: 403,
  INVALID_ACTIVITY_CALLER: 403,
  ORGANIZATION_NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 404,
  NOT_FOUND: 404,
  BODY_TOO_LARGE: 413,
  RATE_LIMIT_EXCEEDED: 429,
} as const satisfies Partial<Record<ErrorCode, number>>

/** Creates a {@link ServerError} with the HTTP status of its code in the custody protocol. */
export function custodyError(code: keyof typeof custodyStatuses, message: string, cause?: unknown): ServerError {
  return new ServerError(message, { code, status: custodyStatuses[code], cause })
}

export function tooManyAtOnce(): ServerError {
  countLimit('custody.turns')
  return new ServerError('This organization makes too many requests at once. Try again in a moment.', {
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    retryAfterMs: 1_000,
  })
}

/** gRPC status codes by HTTP status. Any other status is 13 (internal). */
const grpcCodes: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 5, 413: 3, 429: 8 }

export function custodyErrorBody(error: ServerError): CustodyErrorBody {
  return {
    code: grpcCodes[error.status] ?? 13,
    message: error.message,
    details: [
      { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode: error.code },
      ...error.details,
    ],
  }
}
