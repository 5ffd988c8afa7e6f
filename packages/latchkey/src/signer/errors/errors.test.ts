import { expect, test } from 'vitest'
import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { isTransient, toBaseError, toCustodyError } from './explain.ts'

const http = (status: number, body: unknown, retryAfter?: string) =>
  new HttpError({
    status,
    url: 'https://custody.test/x',
    responseText: JSON.stringify(body),
    headers: new Headers(retryAfter ? { 'retry-after': retryAfter } : {}),
  })

test('keeps errors that are not refusals of custody', () => {
  const others = [http(500, 'x'), http(404, { code: 'NOT_FOUND', message: 'x' }), new TypeError('x')]
  for (const error of others) expect(toCustodyError(error)).toBe(error)
})

test('counts an error as transient unless the session was refused', () => {
  for (const status of [429, 500, 503]) {
    expect(isTransient(http(status, {}))).toBe(true)
    expect(isTransient(toCustodyError(http(status, { code: 8, message: 'x' })))).toBe(true)
  }
  for (const status of [400, 401, 403, 404]) expect(isTransient(http(status, {}))).toBe(false)
  expect(isTransient(new BaseError('x', { code: 'TIMEOUT' }))).toBe(true)
  expect(isTransient(new TypeError('x'))).toBe(false)
})

test('gives every thrown value a code', () => {
  const known = new BaseError('x', { code: 'TIMEOUT' })
  expect(toBaseError(known)).toBe(known)
  expect(toBaseError(new DOMException('x', 'AbortError')).code).toBe('ABORTED')
  // Another realm or a polyfill may create such an error.
  expect(toBaseError({ name: 'AbortError', message: 'x' }).code).toBe('ABORTED')
  expect(toBaseError(null).code).toBe('INTERNAL')
  expect(toBaseError('x').code).toBe('INTERNAL')
})
