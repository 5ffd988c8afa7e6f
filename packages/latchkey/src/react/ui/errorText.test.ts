import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { errorAdvice, errorText } from './errorText.ts'

test('default: the short message of a Latchkey error, without its meta lines', () => {
  const error = new BaseError('The mail could not be sent.', { code: 'MAIL_UNAVAILABLE', metaMessages: ['URL: x'] })
  expect(errorText(error)).toBe('The mail could not be sent.')
})

test('behavior: text and message of others, a fallback for the rest', () => {
  expect(errorText('plain')).toBe('plain')
  expect(errorText(new TypeError('fetch failed'))).toBe('fetch failed')
  for (const nothing of [undefined, null, '', new Error(''), { message: 'x' }])
    expect(errorText(nothing)).toBe('Oops! Something went wrong')
})

test('behavior: advice is given for what a person can mend, not for what a developer must', () => {
  const metaMessages = ['Ask for a new mail.']
  expect(errorAdvice(new BaseError('x', { code: 'BUNDLE_INJECTION_FAILED', metaMessages }))).toBe('Ask for a new mail.')
  expect(errorAdvice(new BaseError('x', { code: 'EMAIL_INIT_SESSION_MISSING' }))).toBe(null)
  expect(errorAdvice(new BaseError('x', { code: 'RESPONSE_INVALID', metaMessages }))).toBe(null)
  expect(errorAdvice(new Error('x'))).toBe(null)
})
