import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { AbortedError, NoUserFoundError } from './authErrors.ts'
import { CustodyError } from './custodyErrors.ts'

/** Converts a refusal by the key-custody service to a `CustodyError`. Returns other errors unchanged. */
export function toCustodyError(error: unknown): unknown {
  if (!(error instanceof HttpError) || typeof error.serverCode !== 'number') return error
  return new CustodyError(error.serverCode, error)
}

const unknownPersonCodes = new Set<unknown>(['NO_USER_FOUND', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND', 5])

/** Converts the error of a passkey sign-in to `NO_USER_FOUND` if the service does not know the user. */
export function toNoUserFoundError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error
  return error.status === 404 || unknownPersonCodes.has(error.serverCode) ? new NoUserFoundError(error) : error
}

// RESPONSE_INVALID is included, because a captive portal may have sent the response.
const transientCodes = new Set<string>([
  'NETWORK_UNREACHABLE',
  'TIMEOUT',
  'ABORTED',
  'RESPONSE_INVALID',
  'FRAME_TIMEOUT',
  'FRAME_LOST',
  'SIGNER_CONFLICT',
])

/** Checks whether a retry may succeed, because the service did not refuse the session. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HttpError || error instanceof CustodyError) return error.status >= 500 || error.status === 429
  return error instanceof BaseError && transientCodes.has(error.code)
}

/** Converts any thrown value to an error with a code. */
export function toBaseError(cause: unknown): BaseError {
  if (cause instanceof BaseError) return cause
  if (Object(cause).name === 'AbortError') return new AbortedError(undefined, cause)
  return new BaseError('Something went wrong. Try again.', { code: 'INTERNAL', cause })
}
