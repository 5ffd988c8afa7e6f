import { expect, test } from 'vitest'
import { applyOverride, maxFeePerGas, multiply } from './gasValues.ts'

test('behavior: the fee limit is one and a half base fees and the tip', () => {
  expect(maxFeePerGas(1_000_000_000n, 7n)).toBe(1_500_000_007n)
})

test('behavior: one and a half of an odd base fee is rounded up', () => {
  expect(maxFeePerGas(7n, 0n)).toBe(11n)
  expect(maxFeePerGas(1n, 0n)).toBe(2n)
  expect(maxFeePerGas(0n, 3n)).toBe(3n)
})

test('behavior: without an override the estimate stays', () => {
  expect(applyOverride(100n, undefined)).toBe(100n)
})

test('behavior: an absolute value replaces the estimate', () => {
  expect(applyOverride(100n, '0x7')).toBe(7n)
  expect(applyOverride(100n, '0x0')).toBe(0n)
})

test('behavior: a multiplier multiplies it', () => {
  expect(applyOverride(100n, { multiplier: 1.5 })).toBe(150n)
})

test('behavior: a multiplier is exact', () => {
  expect(multiply(100n, 1.15)).toBe(115n)
  expect(multiply(1_000_000_007n, 1.15)).toBe(1_150_000_009n)
  expect(multiply(7n, 2)).toBe(14n)
})

test('behavior: a product is rounded up', () => {
  expect(multiply(1n, 1.0001)).toBe(2n)
  expect(multiply(3n, 0.5)).toBe(2n)
  expect(multiply(0n, 1.5)).toBe(0n)
})

test('behavior: every multiplier of four decimals is exact', () => {
  for (let scaled = 10_000; scaled <= 20_000; scaled++)
    expect(
      multiply(10_000n, Number(`${Math.floor(scaled / 10_000)}.${String(scaled % 10_000).padStart(4, '0')}`)),
    ).toBe(BigInt(scaled))
})

test.each([1.00001, 0.00005, 1e-7, 1e21, -1, 0, Number.NaN, Number.POSITIVE_INFINITY])(
  'error: the multiplier %s',
  (multiplier) => {
    expect(() => multiply(1n, multiplier)).toThrow(
      expect.objectContaining({
        code: 'MULTIPLIER_INVALID',
        rpcCode: -32602,
        message: expect.stringContaining('at most 4 decimals'),
      }),
    )
  },
)
