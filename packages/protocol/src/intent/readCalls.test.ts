import { concatHex, decodeFunctionData, encodeFunctionData, getAddress, type Hex, numberToHex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { readCalls } from './readCalls.ts'

const [a, b] = [
  getAddress('0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'),
  '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
] as const
const abi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function executeBatch(Call[] calls)',
  'function executeWithSessionKey(Call[] calls, address sessionKey)',
])
const calls = [
  { target: a, value: 1n, data: '0x12345678' },
  { target: b, value: 0n, data: '0x' },
] as const
const expected = [
  { to: a.toLowerCase(), value: 1n, data: '0x12345678' },
  { to: b, value: 0n, data: '0x' },
]

test('decodes batches of light accounts, modular accounts and session keys', () => {
  const targets = [a, b]
  const data = ['0x12345678', '0x'] as const
  const withValues = encodeFunctionData({ abi, functionName: 'executeBatch', args: [targets, [1n, 0n], data] })
  const plain = encodeFunctionData({ abi, functionName: 'executeBatch', args: [targets, data] })
  expect(readCalls(withValues)).toEqual(expected)
  expect(readCalls(plain)).toEqual(expected.map((call) => ({ ...call, value: 0n })))
  expect(readCalls(encodeFunctionData({ abi, functionName: 'executeBatch', args: [calls] }))).toEqual(expected)
  const bySession = encodeFunctionData({ abi, functionName: 'executeWithSessionKey', args: [calls, b] })
  expect(readCalls(bySession)).toEqual(expected)
  expect(readCalls('0x')).toEqual([])
})

test('rejects unknown forms', () => {
  const erc7579 = encodeFunctionData({
    abi: parseAbi(['function execute(bytes32 mode, bytes executionCalldata)']),
    args: [`0x${'00'.repeat(32)}`, '0x'],
  })
  for (const data of ['0x8da5cb5b', erc7579, '0xb61d27f6', '0xb6', `0xb61d27f6${'ff'.repeat(96)}`] as Hex[])
    expect(readCalls(data)).toBeUndefined()
})

test('rejects ambiguous encodings', () => {
  const data = encodeFunctionData({ abi, functionName: 'execute', args: [a, 7n, '0xabcdef01'] })
  expect(readCalls(concatHex([data, '0x00']))).toBeUndefined()
  // The address has bits above its 160.
  expect(readCalls(`${data.slice(0, 10)}01${data.slice(12)}` as Hex)).toBeUndefined()
  const uneven = encodeFunctionData({ abi, functionName: 'executeBatch', args: [[a, b], [1n], ['0x', '0x']] })
  expect(readCalls(uneven)).toBeUndefined()
  expect(readCalls(encodeFunctionData({ abi, functionName: 'executeBatch', args: [[a, b], ['0x']] }))).toBeUndefined()
})

test('does not follow offsets that repeat the same bytes', () => {
  const word = (value: number) => numberToHex(value, { size: 32 })
  // Both elements share one word; each could be read alone.
  const element = concatHex([word(32), word(7)])
  const list = (offsets: number[]) => concatHex([word(offsets.length), ...offsets.map(word), element])
  const targets = concatHex([word(2), word(1), word(2)])
  const write = (offsets: number[]) => concatHex(['0x18dfb3c7', word(64), word(160), targets, list(offsets)])
  const twice = write([64, 64])
  expect(decodeFunctionData({ abi, data: twice }).args?.[1]).toEqual([word(7), word(7)])
  expect(readCalls(twice)).toBeUndefined()
  // The calldata has the largest size that the gateway accepts, and a naive decoder would take seconds.
  const many = Array.from({ length: 700 }, () => 700 * 32)
  const large = concatHex([word(700), ...many.map(word), word(22_368), `0x${'ab'.repeat(22_368)}`])
  expect(readCalls(concatHex(['0x18dfb3c7', word(64), word(64), large]))).toBeUndefined()
})
