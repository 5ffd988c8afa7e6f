import { expect, test } from 'vitest'
import { maxFeePerGas } from './maxFeePerGas.ts'

test('default', () => {
  expect(maxFeePerGas(1_000_000_000n, 7n)).toBe(1_500_000_007n)
})

test('behavior: one and a half of an odd base fee is rounded up', () => {
  expect(maxFeePerGas(7n, 0n)).toBe(11n)
  expect(maxFeePerGas(1n, 0n)).toBe(2n)
  expect(maxFeePerGas(0n, 3n)).toBe(3n)
})
