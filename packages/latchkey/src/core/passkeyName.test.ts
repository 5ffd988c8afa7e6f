import { expect, test } from 'vitest'
import { passkeyName } from './passkeyName.ts'

test('default: the host, and the time, so that two of one host differ', () => {
  const name = passkeyName('wallet.example.com', new Date(2026, 10, 21, 10, 31))
  expect(name).toMatch(/^wallet\.example\.com, .*2026/)
  expect(name).not.toBe(passkeyName('wallet.example.com', new Date(2026, 10, 21, 10, 32)))
})
