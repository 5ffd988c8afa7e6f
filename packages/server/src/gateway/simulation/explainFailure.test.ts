import { encodeCalls } from '@latchkey/testkit/gateway/lightOperation'
import { expect, test } from 'vitest'
import { sumSentValue } from './explainFailure.ts'

const to = '0x000000000000000000000000000000000000dEaD'

test('behavior: the value of all calls of an account', () => {
  expect(sumSentValue(encodeCalls([{ to, value: 7n }]))).toBe(7n)
  expect(sumSentValue(encodeCalls([{ to, value: 7n }, { to }, { to, value: 5n }]))).toBe(12n)
  expect(sumSentValue(encodeCalls([]))).toBe(0n)
})

test('behavior: calldata of another form sends nothing', () => {
  for (const data of ['0x', '0xdeadbeef', '0xb61d27f6'] as const) expect(sumSentValue(data)).toBe(0n)
})
