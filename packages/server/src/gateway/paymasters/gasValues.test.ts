import { expect, test } from 'vitest'
import { maxFeePerGas, multiply } from './gasValues.ts'

test('limits the fee to one and a half base fees plus the tip', () => {
  expect(maxFeePerGas(1_000_000_000n, 7n)).toBe(1_500_000_007n)
})

test('multiplies exactly with up to four decimals', () => {
  expect(multiply(100n, 1.15)).toBe(115n)
  expect(multiply(1_000_000_007n, 1.15)).toBe(1_150_000_009n)
  expect(multiply(7n, 2)).toBe(14n)
  for (let scaled = 10_000; scaled <= 20_000; scaled++) expect(multiply(10_000n, scaled / 10_000)).toBe(BigInt(scaled))
})

test.each([1.00001, 0.00005, 1e-7, 1e21, -1, 0, Number.NaN, Number.POSITIVE_INFINITY])(
  'refuses the multiplier %s',
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
