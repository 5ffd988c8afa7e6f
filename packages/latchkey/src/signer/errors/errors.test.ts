import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import * as custody from './custodyErrors.ts'
import { isTransient, toBaseError, toCustodyError } from './explain.ts'

const http = (status: number, body: unknown, retryAfter?: string) =>
  new HttpError({
    status,
    url: 'https://custody.test/x',
    responseText: JSON.stringify(body),
    headers: new Headers(retryAfter ? { 'retry-after': retryAfter } : {}),
  })

test('default: a refusal of the key-custody service, with and without details', () => {
  const details = [{ '@type': 'x', turnkeyErrorCode: 'OTP_INVALID' }]
  const wrong = toCustodyError(http(400, { code: 3, message: 'The code is not right. 4 attempts are left.', details }))
  expect(wrong).toBeInstanceOf(custody.CustodyError)
  expect(wrong).toMatchObject({
    message: expect.stringContaining(
      `Turnkey error 3: The code is not right. 4 attempts are left. (Details: ${JSON.stringify(details)})`,
    ),
    shortMessage: 'The code is not right. 4 attempts are left.',
    serverMessage: 'The code is not right. 4 attempts are left.',
    code: 'OTP_INVALID',
    custodyCode: 3,
    status: 400,
  })
  expect(toCustodyError(http(401, { code: 16, message: 'no', details: null }))).toMatchObject({
    message: expect.stringContaining('Turnkey error 16: no\n'),
    code: 'HTTP_FAILED',
    turnkeyErrorCode: undefined,
  })
  const asked = [{ turnkeyErrorCode: 'REQUEST_NOT_AUTHORIZED' }]
  expect(toCustodyError(http(403, { code: 7, message: 'Sign in again to do this: x', details: asked }))).toMatchObject({
    code: 'REQUEST_NOT_AUTHORIZED',
  })
  expect(toCustodyError(http(429, { code: 8, message: 'slow' }, '9'))).toMatchObject({ retryAfterMs: 9_000 })
})

test('behavior: an error that is no refusal of the key-custody service stays as it is', () => {
  const others = [http(500, 'x'), http(404, { code: 'NOT_FOUND', message: 'x' }), new TypeError('x')]
  for (const error of others) expect(toCustodyError(error)).toBe(error)
})

test('behavior: trying again later helps unless the session was refused', () => {
  for (const status of [429, 500, 503]) {
    expect(isTransient(http(status, {}))).toBe(true)
    expect(isTransient(toCustodyError(http(status, { code: 8, message: 'x' })))).toBe(true)
  }
  for (const status of [400, 401, 403, 404]) expect(isTransient(http(status, {}))).toBe(false)
  expect(isTransient(new BaseError('x', { code: 'TIMEOUT' }))).toBe(true)
  expect(isTransient(new TypeError('x'))).toBe(false)
})

test('behavior: every thrown value becomes an error with a code', () => {
  const known = new BaseError('x', { code: 'TIMEOUT' })
  expect(toBaseError(known)).toBe(known)
  expect(toBaseError(new DOMException('x', 'AbortError')).code).toBe('ABORTED')
  expect(toBaseError('x').code).toBe('INTERNAL')
})
