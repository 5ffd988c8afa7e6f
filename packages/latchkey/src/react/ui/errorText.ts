import { BaseError } from '../../core/errors/BaseError.ts'
import { CustodyError } from '../../signer/errors/custodyErrors.ts'
import { texts } from './texts.ts'

/**
 * What the error banner says: the short text of a Latchkey error, the message of any other, or the fallback. Of a
 * refusal a person can act upon, the key-custody service's own sentence without its number.
 */
export function errorText(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error
  if (error instanceof CustodyError && error.code !== 'HTTP_FAILED') return error.serverMessage
  if (error instanceof BaseError) return error.shortMessage
  if (error instanceof Error && error.message !== '') return error.message
  return texts.errorFallback
}

/** Failures a person meets by opening a link, and can mend. */
const mendable: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

/** What the person in front of the dialog can do about it; null when the advice is for a developer. */
export function errorAdvice(error: unknown): string | null {
  if (!(error instanceof BaseError) || !mendable.has(error.code)) return null
  return error.metaMessages[0] ?? null
}

/** What changes who may sign was asked for too long after the sign-in: a new one is the way to do it. */
export function needsSignIn(error: unknown): boolean {
  return error instanceof BaseError && error.code === 'REQUEST_NOT_AUTHORIZED'
}
