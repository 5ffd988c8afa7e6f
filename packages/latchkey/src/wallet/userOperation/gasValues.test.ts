import { describe, expect, test } from 'vitest'
import { bigIntMultiply, settleGasField } from './gasValues.ts'

describe('settleGasField', () => {
  test('keeps a value', () => {
    expect(settleGasField({ value: 7n })).toBe(7n)
  })

  test('uses the minimum, else 0, for a missing value', () => {
    expect(settleGasField({ value: undefined })).toBe(0n)
    expect(settleGasField({ value: undefined, option: { min: 3n, multiplier: 2 } })).toBe(3n)
  })

  test('prefers the override', () => {
    const option = { min: 1000n }
    expect(settleGasField({ value: 7n, override: 5n, option })).toBe(5n)
    expect(settleGasField({ value: 7n, override: 5, option })).toBe(5n)
    expect(settleGasField({ value: undefined, override: '0x10', option })).toBe(16n)
    expect(settleGasField({ value: 7n, override: { multiplier: 1.33 }, option })).toBe(10n)
    // Without an estimate, a factor has no effect.
    expect(settleGasField({ value: undefined, override: { multiplier: 2 }, option })).toBe(1000n)
  })

  test('multiplies first and then keeps the bounds', () => {
    expect(settleGasField({ value: 10n, option: { multiplier: 1.5 } })).toBe(15n)
    expect(settleGasField({ value: 10n, option: { multiplier: 1.5, max: 12n } })).toBe(12n)
    expect(settleGasField({ value: 10n, option: { multiplier: 0.5, min: 8n } })).toBe(8n)
  })
})

describe('bigIntMultiply', () => {
  test.each([
    [10n, 2, 'up', 20n],
    [10n, 0.5, 'up', 5n],
    [10n, 0.53, 'up', 6n],
    [10n, 0.53, 'down', 5n],
    [7n, 1.33, 'up', 10n],
    [100n, 1.1, 'up', 110n],
    [100n, 1.15, 'up', 115n],
    [10n ** 30n, 1.0001, 'up', 10n ** 30n + 10n ** 26n],
  ] as const)('multiplies %s by %s, rounded %s, to %s', (base, multiplier, rounding, product) => {
    expect(bigIntMultiply(base, multiplier, rounding)).toBe(product)
  })

  test.each([1.23456, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-7, 1e21])(
    'refuses the multiplier %s',
    (multiplier) => {
      expect(() => bigIntMultiply(1n, multiplier)).toThrow(expect.objectContaining({ code: 'MULTIPLIER_INVALID' }))
    },
  )
})
