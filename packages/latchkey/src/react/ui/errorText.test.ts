import { codeRefusedText } from 'latchkey-protocol'
import { describe, expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { CustodyError } from '../../signer/errors/custodyErrors.ts'
import * as subject from './errorText.ts'
import { german } from './texts/german.ts'
import { inEnglish } from './texts/language.ts'

const english = inEnglish()
const errorText = (error: unknown) => subject.errorText(error, english)
const errorDetails = (error: unknown) => subject.errorDetails(error, english)
const errorAdvice = (error: unknown) => subject.errorAdvice(error, english)

test('returns the short message of a Latchkey error', () => {
  const error = new BaseError('The mail could not be sent.', { code: 'MAIL_UNAVAILABLE', metaMessages: ['URL: x'] })
  expect(errorText(error)).toBe('The mail could not be sent.')
})

test('returns the sentence of the service, with the documented text in the details', () => {
  const refused = (turnkeyErrorCode: string) => {
    const responseText = JSON.stringify({ code: 3, message: 'The code is not right.', details: [{ turnkeyErrorCode }] })
    return new CustodyError(3, new HttpError({ url: 'https://custody.example', status: 400, responseText }))
  }
  expect(errorText(refused('OTP_INVALID'))).toBe('The code is not right.')
  expect(errorDetails(refused('REQUEST_INVALID'))).toMatch(/^Turnkey error 3: The code is not right\. \(Details: /)
})

test('returns the text of other errors, or a fallback', () => {
  expect(errorText('plain')).toBe('plain')
  expect(errorText(new TypeError('fetch failed'))).toBe('fetch failed')
  // Errors of another realm are not instances of `Error`.
  expect(errorText({ name: 'Error', message: 'x' })).toBe('x')
  for (const nothing of [undefined, null, '', new Error(''), { message: 5 }])
    expect(errorText(nothing)).toBe('Oops! Something went wrong')
})

test('returns no details when there are none', () => {
  expect(errorDetails(new BaseError('Plain.', { code: 'ABORTED' }))).toBeNull()
  expect(errorDetails(new TypeError('x'))).toBeNull()
})

test('returns advice for the user, not for the developer', () => {
  const metaMessages = ['Ask for a new mail.']
  expect(errorAdvice(new BaseError('x', { code: 'BUNDLE_INJECTION_FAILED', metaMessages }))).toBe('Ask for a new mail.')
  expect(errorAdvice(new BaseError('x', { code: 'EMAIL_INIT_SESSION_MISSING' }))).toBe(null)
  expect(errorAdvice(new BaseError('x', { code: 'RESPONSE_INVALID', metaMessages }))).toBe(null)
  expect(errorAdvice(new Error('x'))).toBe(null)
})

describe('another language', () => {
  const language = { locale: 'de', ...german }
  const translated = (error: unknown) => subject.errorText(error, language)
  const http = (status: number, body: object, retryAfter?: string) =>
    new HttpError({
      url: 'https://custody.example',
      status,
      responseText: JSON.stringify(body),
      headers: new Headers(retryAfter ? { 'retry-after': retryAfter } : {}),
    })

  test('translates by code, with the original text in the details', () => {
    const error = new BaseError('Failed to inject credential bundle', {
      code: 'BUNDLE_INJECTION_FAILED',
      metaMessages: ['Ask for a new mail in this browser.'],
    })
    expect(translated(error)).toBe(german.errors.BUNDLE_INJECTION_FAILED)
    expect(subject.errorDetails(error, language)).toBe(error.message)
    expect(subject.errorAdvice(error, language)).toBe(null)
  })

  test('inflects the number of attempts', () => {
    const refused = (message: string) =>
      new CustodyError(3, http(400, { code: 3, message, details: [{ turnkeyErrorCode: 'OTP_INVALID' }] }))
    expect(translated(refused(codeRefusedText(4)))).toBe('Der Code ist nicht richtig. Sie haben noch 4 Versuche.')
    expect(translated(refused(codeRefusedText(1)))).toBe('Der Code ist nicht richtig. Sie haben noch 1 Versuch.')
    expect(translated(refused('Wrong.'))).toBe(german.errors.OTP_INVALID)
  })

  test('prefers the reason of the service, and says when to try again', () => {
    expect(translated(http(503, { code: 'MAIL_UNAVAILABLE', message: 'x' }))).toBe(german.errors.MAIL_UNAVAILABLE)
    expect(translated(http(500, { message: 'x' }))).toBe(german.errors.HTTP_FAILED)
    const cause = http(429, { code: 8, message: 'Too many.' }, '30')
    expect(translated(new CustodyError(8, cause))).toMatch(/Warten Sie einen Moment\. .* in 30 Sekunden erneut\.$/)
    const late = http(429, { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many.' }, '1800')
    expect(translated(late)).toMatch(/ in 30 Minuten erneut\.$/)
  })

  test('shows untranslated text only in the details', () => {
    const foreign = new TypeError('x is not a function')
    expect(translated(foreign)).toBe(german.texts.errorFallback)
    expect(subject.errorDetails(foreign, language)).toBe('x is not a function')
    for (const nothing of [undefined, null, '', new Error('')]) {
      expect(translated(nothing)).toBe(german.texts.errorFallback)
      expect(subject.errorDetails(nothing, language)).toBe(null)
    }
    const cycle = new BaseError('x', { code: 'PROVIDER_MISSING' })
    Object.assign(cycle, { cause: cycle })
    expect(translated(cycle)).toBe(german.texts.errorFallback)
  })
})
