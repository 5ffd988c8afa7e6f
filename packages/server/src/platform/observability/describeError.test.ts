import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ServerError } from '../errors/ServerError.ts'
import { describeError } from './describeError.ts'

test('describes name, code, message and frames', () => {
  const text = describeError(new ServerError('The node did not respond.', { code: 'TIMEOUT', status: 504 })) ?? ''
  expect(text).toMatch(/^\w+ \(TIMEOUT\): The node did not respond\.\n {4}at .*describeError\.test/)
  const defect = describeError(new TypeError("Cannot read properties of undefined (reading 'accountName')"))
  expect(defect).toContain("(reading 'accountName')")
  const violated = new Error('duplicate key value violates unique constraint "users_email"')
  expect(describeError(violated)).toContain('"users_email"')
  expect(describeError(undefined)).toBeUndefined()
  expect(describeError('text')).toBe('string')
})

test('hides values that callers sent from messages of libraries', () => {
  const part = randomBytes(24).toString('base64url')
  const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const secrets = [
    part,
    `lk_${part}`,
    `0x${randomBytes(32).toString('hex')}`,
    'ada@people.example',
    '123456789',
    phrase,
  ]
  for (const secret of secrets)
    for (const message of [
      `invalid input syntax for type uuid: "${secret}"`,
      `Invalid value '${secret}' at "a.b"`,
      `connect https://user:${encodeURIComponent(secret)}@host/${encodeURIComponent(secret)}`,
      `Address \`${secret}\` is invalid.\n\nValue: ${secret === phrase ? '' : secret}`,
    ])
      expect(describeError(new Error(message)), message).not.toContain(secret)
  // Parsers quote their input in several ways.
  for (const secret of secrets) {
    let failure: unknown
    try {
      JSON.parse(secret)
    } catch (error) {
      failure = error
    }
    expect(describeError(failure) ?? '').not.toContain(secret.slice(0, 10))
  }
})
