import { expect, test } from 'vitest'
import { maxFeePerGas, multiply } from './gasValues.ts'

test('behavior: the fee limit is one and a half base fees and the tip', () => {
  expect(maxFeePerGas(1_000_000_000n, 7n)).toBe(1_500_000_007n)
})

test('behavior: a multiplier is exact', () => {
  expect(multiply(100n, 1.15)).toBe(115n)
  expect(multiply(1_000_000_007n, 1.15)).toBe(1_150_000_009n)
  expect(multiply(7n, 2)).toBe(14n)
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
