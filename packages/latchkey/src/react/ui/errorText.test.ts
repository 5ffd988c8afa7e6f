import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { errorText } from './errorText.ts'

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
