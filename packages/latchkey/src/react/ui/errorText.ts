import { readAttemptsLeft } from 'latchkey-protocol'
import { BaseError, readMessage } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { type ErrorTexts, fill, fillCount, formatDuration, type Language, type ShownError } from './texts/language.ts'

/**
 * Returns the text of the error banner. In English: the short message of a Latchkey error, otherwise the error's
 * message. In other languages: the dictionary's text for the error code. Falls back to a general text.
 */
export function errorText(error: unknown, language: Language): string {
  const { texts, errors } = language
  return (errors ? translatedText(error, errors, language) : ownText(error)) || texts.errorFallback
}

/** Returns details for developers; null if the banner already shows the same text. */
export function errorDetails(error: unknown, language: Language): string | null {
  const text = error instanceof BaseError ? error.message : language.errors && ownText(error)
  return text && text !== errorText(error, language) ? text : null
}

const fixable: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'CHUNK_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

/** Returns advice for the user; null if the advice is for developers, or the banner's text already contains it. */
export function errorAdvice(error: unknown, { errors }: Language): string | null {
  if (errors || !(error instanceof BaseError) || !fixable.has(error.code)) return null
  return error.metaMessages[0] ?? null
}

/** Checks whether the operation (adding a credential, export) requires a more recent sign-in. */
export function needsSignIn(error: unknown): boolean {
  return error instanceof BaseError && error.code === 'REQUEST_NOT_AUTHORIZED'
}

/** Returns the error's own text; empty if there is none. */
export function ownText(error: unknown): string {
  if (typeof error === 'string') return error
  if (error instanceof BaseError) return error.shortMessage
  return readMessage(error) ?? ''
}

function translatedText(error: unknown, errors: ErrorTexts, { texts, locale }: Language): string | undefined {
  const code = findShownError(error, errors)
  if (code === undefined) return undefined
  const left = code === 'OTP_INVALID' ? readAttemptsLeft(ownText(error)) : undefined
  if (left !== undefined) return fillCount(errors.attemptsLeft, left, locale)
  const time = retryAfterMs(error)
  return time ? `${errors[code]} ${fill(texts.retryAfter, { time: formatDuration(time, locale) })}` : errors[code]
}

/**
 * Finds the first code with a text in the dictionary, from the error through its causes. `HTTP_FAILED` and similar
 * codes are used only without a more specific code.
 */
function findShownError(error: unknown, errors: ErrorTexts): ShownError | undefined {
  const isShown = (code: unknown): code is ShownError => typeof code === 'string' && Object.hasOwn(errors, code)
  const codes = toChain(error).flatMap(toCodes).filter(isShown)
  return codes.find((code) => code !== 'HTTP_FAILED') ?? codes[0]
}

/** Returns the error's codes: the service's code precedes the client's less specific code. */
function toCodes(error: BaseError): unknown[] {
  const { turnkeyErrorCode } = error as { turnkeyErrorCode?: unknown }
  const served = error instanceof HttpError ? [error.serverCode, error.status === 429 && 'RATE_LIMIT_EXCEEDED'] : []
  return [turnkeyErrorCode, ...served, error.code]
}

function retryAfterMs(error: unknown): number | undefined {
  return toChain(error).find((cause) => cause instanceof HttpError)?.retryAfterMs
}

function toChain(error: unknown): BaseError[] {
  const chain: BaseError[] = []
  // A longer chain is a cycle.
  while (error instanceof BaseError && chain.length < 16) {
    chain.push(error)
    error = error.cause
  }
  return chain
}
