import { expect, test } from 'vitest'
import { feeHistoryCount } from './nodeParams.ts'
import { gasOverrides, gasQuantity, parseParams } from './values.ts'

test.each(['0xzz', '-1', '', '0x', 'a gas limit', `0x${'f'.repeat(65)}`, '9'.repeat(1_000_000)])(
  'refuses a gas value of another form before it reads it as a number',
  (value) => {
    for (const [schema, given] of [
      [gasQuantity, value],
      [feeHistoryCount, value],
      [gasOverrides, { callGasLimit: value }],
    ] as const)
      expect(() => parseParams(schema, given, 'params')).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
  },
)

test('refuses a gas value of more than 120 bits', () => {
  expect(parseParams(gasQuantity, `0x${'f'.repeat(30)}`, 'params')).toBe(`0x${'f'.repeat(30)}`)
  expect(() => parseParams(gasQuantity, `0x1${'0'.repeat(30)}`, 'params')).toThrow('must be below 2^120')
})
