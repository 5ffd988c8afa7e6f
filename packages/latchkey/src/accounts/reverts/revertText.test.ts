import { encodeErrorResult, parseAbi, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { revertText } from './revertText.ts'

const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Odd(uint256)'])

test('default', () => {
  const data = encodeErrorResult({ abi, errorName: 'Error', args: ['not enough'] })
  expect(revertText(data)).toBe('not enough')
})

test('behavior: a named error with its values', () => {
  expect(revertText(encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }))).toBe('Panic(17)')
})

test('behavior: what is not known is shown as it is', () => {
  const data = encodeErrorResult({ abi, errorName: 'Odd', args: [1n] })
  expect(revertText(data)).toBe(`unknown error ${data}`)
  expect(revertText('out of gas')).toBe('out of gas')
  expect(revertText(stringToHex('Err'))).toBe('unknown error 0x457272')
})

test('behavior: nothing gives nothing', () => {
  expect(revertText('0x')).toBeUndefined()
  expect(revertText(undefined)).toBeUndefined()
})
