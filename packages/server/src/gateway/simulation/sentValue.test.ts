import { encodeCalls } from '@latchkey/testkit/gateway/lightOperation'
import { expect, test } from 'vitest'
import { sentValue } from './sentValue.ts'

const to = '0x000000000000000000000000000000000000dEaD'

test('default', () => {
  expect(sentValue(encodeCalls([{ to, value: 7n }]))).toBe(7n)
  expect(sentValue(encodeCalls([{ to, value: 7n }, { to }, { to, value: 5n }]))).toBe(12n)
  expect(sentValue(encodeCalls([]))).toBe(0n)
})

test('behavior: calldata of another form', () => {
  for (const data of ['0x', '0xdeadbeef', '0xb61d27f6'] as const) expect(sentValue(data)).toBe(0n)
})
