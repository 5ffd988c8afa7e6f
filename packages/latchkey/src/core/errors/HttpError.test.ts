import { expect, test } from 'vitest'
import { BaseError } from './BaseError.ts'
import { HttpError } from './HttpError.ts'

const at = (responseText: string) => new HttpError({ status: 418, url: 'https://api.test/x', responseText })

test('shows the message of a JSON response', () => {
  const error = at('{"code":"NOT_FOUND","message":"Nothing here."}')
  expect(error.message).toMatchInlineSnapshot(`
    "Nothing here.

    URL: https://api.test/x
    Status: 418"
  `)
  expect(error).toMatchObject({ code: 'HTTP_FAILED', status: 418, serverCode: 'NOT_FOUND' })
})

test('shows any other response, cut at 2000 characters', () => {
  expect(at('plain').shortMessage).toBe('plain')
  for (const text of ['[1]', '{"message":5}', '<html>']) {
    expect(at(text).text).toBe(text)
    expect(at(text).message).toContain(text)
    expect(at(text).shortMessage).toBe('The server answered with status 418.')
  }
  expect(at(' ').shortMessage).toBe('The server answered with status 418.')
  expect(at('x'.repeat(5000)).shortMessage).toHaveLength(2000)
  expect(at('x'.repeat(5000)).responseText).toHaveLength(5000)
})

const withHeader = (name: string, value: string) =>
  new HttpError({ status: 429, url: 'u', responseText: '', headers: new Headers({ [name]: value }) })

test('reads Retry-After in seconds or as a date', () => {
  const after = (retryAfter: string) => withHeader('retry-after', retryAfter).retryAfterMs
  expect(after('3')).toBe(3_000)
  expect(after(new Date(Date.now() - 60_000).toUTCString())).toBe(0)
  expect(after('soon')).toBeUndefined()
  expect(after('')).toBeUndefined()
})

test('names the request id, also in an error it causes', () => {
  const named = withHeader('x-request-id', 'request-1')
  expect(named.message).toContain('Details: Request request-1')
  expect(new BaseError('It failed.', { code: 'INTERNAL', cause: named }).details).toBe('Request request-1')
  expect(withHeader('x-other', '1').details).toBeUndefined()
})
