import { BaseError } from '../../core/errors/BaseError.ts'
import { texts } from './texts.ts'

/** What the error banner says: the short text of a Latchkey error, the message of any other, or the fallback. */
export function errorText(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error
  if (error instanceof BaseError) return error.shortMessage
  if (error instanceof Error && error.message !== '') return error.message
  return texts.errorFallback
}
