import { expect, test } from 'vitest'
import { findStep, toStep, totp, totpUrl } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B: the last six of the eight digits that it lists.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('returns the code of RFC 6238 at %d s', (seconds, code) => {
  expect(totp(secret, toStep(seconds * 1000))).toBe(code)
})

test('finds the step of a code one step before or after, and of no other', () => {
  const atMs = 1_700_000_000_000
  const steps = [-2, -1, 0, 1, 2].map((ahead) => {
    const step = toStep(atMs) + ahead
    return findStep({ secret, code: totp(secret, step), atMs, tolerance: 1 }) === step
  })
  expect(steps).toEqual([false, true, true, true, false])
  for (const code of ['', '12345', '1234567', 'é23456'])
    expect(findStep({ secret, code, atMs, tolerance: 1 })).toBeUndefined()
})

test('names app and account in the URL of authenticator apps', () => {
  const url = totpUrl({ secret, issuer: 'Shop & Co', account: 'ann@example.com' })
  expect(url).toBe(
    'otpauth://totp/Shop%20%26%20Co:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Shop%20%26%20Co',
  )
})
