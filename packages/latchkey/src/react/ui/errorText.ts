import { BaseError } from '../../core/errors/BaseError.ts'
import { texts } from './texts.ts'

/** The error banner's text: the short message of a Latchkey error, the message of any other, or the fallback. */
export function errorText(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error
  if (error instanceof BaseError) return error.shortMessage
  if (error instanceof Error && error.message !== '') return error.message
  return texts.errorFallback
}

/** All there is to say to those who can make use of it; null where the banner's text is that already. */
export function errorDetails(error: unknown): string | null {
  return error instanceof BaseError && error.message !== errorText(error) ? error.message : null
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
