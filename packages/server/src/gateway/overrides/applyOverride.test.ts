import { expect, test } from 'vitest'
import { applyOverride } from './applyOverride.ts'

test('default', () => {
  expect(applyOverride(100n, undefined)).toBe(100n)
})

test('behavior: an absolute value replaces the estimate', () => {
  expect(applyOverride(100n, '0x7')).toBe(7n)
  expect(applyOverride(100n, '0x0')).toBe(0n)
})

test('behavior: a multiplier multiplies it', () => {
  expect(applyOverride(100n, { multiplier: 1.5 })).toBe(150n)
})
