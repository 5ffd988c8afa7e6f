import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { CustodyError } from '../../signer/errors/custodyErrors.ts'
import { errorAdvice, errorDetails, errorText } from './errorText.ts'

test('default: the short message of a Latchkey error, without its meta lines', () => {
  const error = new BaseError('The mail could not be sent.', { code: 'MAIL_UNAVAILABLE', metaMessages: ['URL: x'] })
  expect(errorText(error)).toBe('The mail could not be sent.')
})

test('behavior: a refusal is the sentence of the service, the documented text is among the details', () => {
  const refused = (turnkeyErrorCode: string) => {
    const responseText = JSON.stringify({ code: 3, message: 'The code is not right.', details: [{ turnkeyErrorCode }] })
    return new CustodyError(3, new HttpError({ url: 'https://custody.example', status: 400, responseText }))
  }
  expect(errorText(refused('OTP_INVALID'))).toBe('The code is not right.')
  expect(errorDetails(refused('REQUEST_INVALID'))).toMatch(/^Turnkey error 3: The code is not right\. \(Details: /)
})

test('behavior: text and message of others, a fallback for the rest', () => {
  expect(errorText('plain')).toBe('plain')
  expect(errorText(new TypeError('fetch failed'))).toBe('fetch failed')
  for (const nothing of [undefined, null, '', new Error(''), { message: 'x' }])
    expect(errorText(nothing)).toBe('Oops! Something went wrong')
})

test('behavior: no details where there is nothing more to say', () => {
  expect(errorDetails(new BaseError('Plain.', { code: 'ABORTED' }))).toBeNull()
  expect(errorDetails(new TypeError('x'))).toBeNull()
})

test('behavior: advice is given for what the user can fix, not for what a developer must', () => {
  const metaMessages = ['Ask for a new mail.']
  expect(errorAdvice(new BaseError('x', { code: 'BUNDLE_INJECTION_FAILED', metaMessages }))).toBe('Ask for a new mail.')
  expect(errorAdvice(new BaseError('x', { code: 'EMAIL_INIT_SESSION_MISSING' }))).toBe(null)
  expect(errorAdvice(new BaseError('x', { code: 'RESPONSE_INVALID', metaMessages }))).toBe(null)
  expect(errorAdvice(new Error('x'))).toBe(null)
})
