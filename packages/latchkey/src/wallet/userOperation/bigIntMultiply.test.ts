import { expect, test } from 'vitest'
import { bigIntMultiply } from './bigIntMultiply.ts'

test.each([
  [10n, 2, 'up', 20n],
  [10n, 0.5, 'up', 5n],
  [10n, 0.53, 'up', 6n],
  [10n, 0.53, 'down', 5n],
  [7n, 1.33, 'up', 10n],
  [100n, 1.1, 'up', 110n],
  [100n, 1.15, 'up', 115n],
  [10n ** 30n, 1.0001, 'up', 10n ** 30n + 10n ** 26n],
] as const)('default: %s x %s rounded %s is %s', (base, multiplier, rounding, product) => {
  expect(bigIntMultiply(base, multiplier, rounding)).toBe(product)
})

test.each([1.23456, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-7, 1e21])(
  'error: %s is no multiplier',
  (multiplier) => {
    expect(() => bigIntMultiply(1n, multiplier)).toThrow(expect.objectContaining({ code: 'MULTIPLIER_INVALID' }))
  },
)
