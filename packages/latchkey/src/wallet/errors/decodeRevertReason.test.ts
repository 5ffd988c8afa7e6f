import { encodeErrorResult, parseAbi, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { decodeRevertReason } from './decodeRevertReason.ts'

const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Odd(uint256)'])

test('default', () => {
  const data = encodeErrorResult({ abi, errorName: 'Error', args: ['not enough'] })
  expect(decodeRevertReason(data)).toBe('not enough')
})

test('behavior: a named error with its values', () => {
  expect(decodeRevertReason(encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }))).toBe('Panic(17)')
})

test('behavior: what is not known is shown as it is', () => {
  const data = encodeErrorResult({ abi, errorName: 'Odd', args: [1n] })
  expect(decodeRevertReason(data)).toBe(`unknown error ${data}`)
  expect(decodeRevertReason('out of gas')).toBe('out of gas')
  expect(decodeRevertReason(stringToHex('Err'))).toBe('unknown error 0x457272')
})

test('behavior: nothing gives nothing', () => {
  expect(decodeRevertReason('0x')).toBeUndefined()
  expect(decodeRevertReason(undefined)).toBeUndefined()
})
