import { encodeErrorResult, parseAbi, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { decodeRevert, formatRevert } from './decodeRevert.ts'

const caller = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const abi = parseAbi([
  'error Error(string)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'error NotAuthorized(address caller)',
  'error OwnersArrayEmpty()',
  'error Panic(uint256)',
  'error Odd(uint256)',
])
const notAuthorized = encodeErrorResult({ abi, errorName: 'NotAuthorized', args: [caller] })

test('default: name and values', () => {
  expect(decodeRevert(notAuthorized)).toEqual({
    errorName: 'NotAuthorized',
    args: [caller],
    text: `NotAuthorized(${caller})`,
  })
  expect(decodeRevert(encodeErrorResult({ abi, errorName: 'OwnersArrayEmpty' }))?.text).toBe('OwnersArrayEmpty()')
})

test('behavior: a plain text is the text', () => {
  const data = encodeErrorResult({ abi, errorName: 'Error', args: ['not enough'] })
  expect(decodeRevert(data)).toEqual({ errorName: 'Error', args: ['not enough'], text: 'not enough' })
})

test('behavior: a nested error is decoded, too', () => {
  const data = encodeErrorResult({ abi, errorName: 'FailedOpWithRevert', args: [0n, 'AA23 reverted', notAuthorized] })
  expect(decodeRevert(data)?.text).toBe(`FailedOpWithRevert(0, AA23 reverted): NotAuthorized(${caller})`)
})

test('behavior: decoding stops at a depth of four', () => {
  let data = notAuthorized
  for (let depth = 0; depth < 50; depth++)
    data = encodeErrorResult({ abi, errorName: 'FailedOpWithRevert', args: [0n, 'r', data] })
  expect(decodeRevert(data)?.text.match(/FailedOpWithRevert/g)).toHaveLength(4)
})

test('behavior: an unknown error is undefined', () => {
  expect(decodeRevert(encodeErrorResult({ abi, errorName: 'Odd', args: [1n] }))).toBeUndefined()
  for (const data of ['0x', undefined, 'out of gas', stringToHex('Err'), `${notAuthorized.slice(0, 20)}`])
    expect(decodeRevert(data)).toBeUndefined()
})

test('behavior: formatRevert, a named error with its values', () => {
  expect(formatRevert(encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }))).toBe('Panic(17)')
})
