import { encodeCalls } from '@latchkey/testkit/gateway/lightOperation'
import { encodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { sumSentValue } from './explainFailure.ts'

const to = '0x000000000000000000000000000000000000dEaD'

test('sums the value of all calls', () => {
  expect(sumSentValue(encodeCalls([{ to, value: 7n }]))).toBe(7n)
  expect(sumSentValue(encodeCalls([{ to, value: 7n }, { to }, { to, value: 5n }]))).toBe(12n)
  expect(sumSentValue(encodeCalls([]))).toBe(0n)
  const abi = parseAbi(['function executeBatch((address target, uint256 value, bytes data)[] calls)'])
  const calls = [7n, 5n].map((value) => ({ target: to, value, data: '0x' }) as const)
  expect(sumSentValue(encodeFunctionData({ abi, args: [calls] }))).toBe(12n)
})

test('reads no value from calldata of another form', () => {
  for (const data of ['0x', '0xdeadbeef', '0xb61d27f6'] as const) expect(sumSentValue(data)).toBe(0n)
})
