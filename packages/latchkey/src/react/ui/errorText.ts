import { BaseError } from '../../core/errors/BaseError.ts'
import { ActivityFailedError, CustodyError } from '../../signer/errors/custodyErrors.ts'
import { texts } from './texts.ts'

/**
 * The error banner's text: the short message of a Latchkey error, the message of any other, or the fallback. For a
 * refusal the user can act upon, the key-custody service's own sentence without its number.
 */
export function errorText(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error
  if (error instanceof CustodyError && error.code !== 'HTTP_FAILED') return error.serverMessage
  // Its documented text names an activity.
  if (error instanceof ActivityFailedError && error.code !== 'ACTIVITY_FAILED') return error.metaMessages[0] ?? ''
  if (error instanceof BaseError) return error.shortMessage
  if (error instanceof Error && error.message !== '') return error.message
  return texts.errorFallback
}

/** Failures of a mail link that the user can fix. */
const fixable: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

/** What the user can do about it; null when the advice is for a developer. */
export function errorAdvice(error: unknown): string | null {
  if (!(error instanceof BaseError) || !fixable.has(error.code)) return null
  return error.metaMessages[0] ?? null
}

/** Whether the sign-in is too old for the operation (adding a credential, export), so that the user must sign in again. */
export function needsSignIn(error: unknown): boolean {
  return error instanceof BaseError && error.code === 'REQUEST_NOT_AUTHORIZED'
}
