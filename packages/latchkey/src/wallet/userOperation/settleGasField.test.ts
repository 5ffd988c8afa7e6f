import { expect, test } from 'vitest'
import { settleGasField } from './settleGasField.ts'

test('default', () => {
  expect(settleGasField({ value: 7n })).toBe(7n)
})

test('behavior: a missing value becomes the minimum, else 0', () => {
  expect(settleGasField({ value: undefined })).toBe(0n)
  expect(settleGasField({ value: undefined, option: { min: 3n, multiplier: 2 } })).toBe(3n)
})

test('param: override', () => {
  const option = { min: 1000n }
  expect(settleGasField({ value: 7n, override: 5n, option })).toBe(5n)
  expect(settleGasField({ value: 7n, override: 5, option })).toBe(5n)
  expect(settleGasField({ value: undefined, override: '0x10', option })).toBe(16n)
  expect(settleGasField({ value: 7n, override: { multiplier: 1.33 }, option })).toBe(10n)
  // A factor of nothing leaves it to the option.
  expect(settleGasField({ value: undefined, override: { multiplier: 2 }, option })).toBe(1000n)
})

test('param: option multiplies first, then keeps within the bounds', () => {
  expect(settleGasField({ value: 10n, option: { multiplier: 1.5 } })).toBe(15n)
  expect(settleGasField({ value: 10n, option: { multiplier: 1.5, max: 12n } })).toBe(12n)
  expect(settleGasField({ value: 10n, option: { multiplier: 0.5, min: 8n } })).toBe(8n)
})

test('error: an empty range', () => {
  expect(() => settleGasField({ value: 1n, option: { min: 2n, max: 1n } })).toThrow(
    expect.objectContaining({
      code: 'FEE_RANGE_INVALID',
      shortMessage: 'invalid range: upper bound 1 is less than lower bound 2',
    }),
  )
})
