import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { AbortedError, NoUserFoundError } from './authErrors.ts'
import { CustodyError } from './custodyErrors.ts'

/** A refusal by the key-custody service as a `CustodyError`; any other failure as it is. */
export function toCustodyError(error: unknown): unknown {
  if (!(error instanceof HttpError) || typeof error.serverCode !== 'number') return error
  return new CustodyError(error.serverCode, error)
}

const unknownPersonCodes = new Set<unknown>(['NO_USER_FOUND', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND', 5])

/** The error of a refused passkey log-in: `NO_USER_FOUND` where the service knows no such person. */
export function toNoUserFoundError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error
  return error.status === 404 || unknownPersonCodes.has(error.serverCode) ? new NoUserFoundError(error) : error
}

// RESPONSE_INVALID: it may come from a hotel's sign-in page.
const transientCodes = new Set<string>([
  'NETWORK_UNREACHABLE',
  'TIMEOUT',
  'ABORTED',
  'RESPONSE_INVALID',
  'FRAME_TIMEOUT',
  'FRAME_LOST',
  'SIGNER_CONFLICT',
])

/** Whether trying again later may work: the session itself was not refused. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HttpError || error instanceof CustodyError) return error.status >= 500 || error.status === 429
  return error instanceof BaseError && transientCodes.has(error.code)
}

/** Any thrown value, as an error with a code. */
export function toBaseError(cause: unknown): BaseError {
  if (cause instanceof BaseError) return cause
  if (cause instanceof Error && cause.name === 'AbortError') return new AbortedError(undefined, cause)
  return new BaseError('The sign-in failed in a way nobody foresaw.', { code: 'INTERNAL', cause })
}
