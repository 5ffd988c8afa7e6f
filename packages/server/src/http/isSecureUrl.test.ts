import { expect, test } from 'vitest'
import { isSecureUrl } from './isSecureUrl.ts'

test.each(['https://vault.example:8200', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:8200'])(
  'default: %s',
  (url) => {
    expect(isSecureUrl(url)).toBe(true)
  },
)

test.each([
  'vault',
  'http://vault.example',
  'http://localhost.evil.example',
  'http://127.0.0.1@evil.example',
  'ftp://localhost',
])('error: %s', (url) => {
  expect(isSecureUrl(url)).toBe(false)
})
