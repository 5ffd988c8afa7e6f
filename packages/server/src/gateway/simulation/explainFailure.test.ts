import { encodeCalls } from '@latchkey/testkit/gateway/lightOperation'
import { expect, test } from 'vitest'
import { sumSentValue } from './explainFailure.ts'

const to = '0x000000000000000000000000000000000000dEaD'

test('sums the value of all calls', () => {
  expect(sumSentValue(encodeCalls([{ to, value: 7n }]))).toBe(7n)
  expect(sumSentValue(encodeCalls([{ to, value: 7n }, { to }, { to, value: 5n }]))).toBe(12n)
  expect(sumSentValue(encodeCalls([]))).toBe(0n)
})

test('reads no value from calldata of another form', () => {
  for (const data of ['0x', '0xdeadbeef', '0xb61d27f6'] as const) expect(sumSentValue(data)).toBe(0n)
})
