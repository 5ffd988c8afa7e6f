import { type Abi, encodeErrorResult, type Hex, parseAbi, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import { decodeRevert, formatRevert } from './decodeRevert.ts'

const caller = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const abi: Abi = parseAbi([
  'error Error(string)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'error NotAuthorized(address caller)',
  'error OwnersArrayEmpty()',
  'error Panic(uint256)',
  'error Odd(uint256)',
])
const encode = (errorName: string, ...args: unknown[]) => encodeErrorResult({ abi, errorName, args })
const wrap = (inner: Hex) => encode('FailedOpWithRevert', 0n, 'AA23 reverted', inner)
const notAuthorized = encode('NotAuthorized', caller)

test.each([
  [
    'an error with values',
    notAuthorized,
    { errorName: 'NotAuthorized', args: [caller], text: `NotAuthorized(${caller})` },
  ],
  ['an error without values', encode('OwnersArrayEmpty'), { text: 'OwnersArrayEmpty()' }],
  ['a plain text', encode('Error', 'not enough'), { errorName: 'Error', args: ['not enough'], text: 'not enough' }],
  ['a nested error', wrap(notAuthorized), { text: `FailedOpWithRevert(0, AA23 reverted): NotAuthorized(${caller})` }],
])('decodes %s', (_, data, expected) => {
  expect(decodeRevert(data)).toMatchObject(expected)
})

test('stops decoding at a depth of four', () => {
  let data = notAuthorized
  for (let depth = 0; depth < 50; depth++) data = wrap(data)
  expect(decodeRevert(data)?.text.match(/FailedOpWithRevert/g)).toHaveLength(4)
})

test('returns undefined for an unknown error and for broken data', () => {
  for (const data of [encode('Odd', 1n), '0x', undefined, 'out of gas', stringToHex('Err'), notAuthorized.slice(0, 20)])
    expect(decodeRevert(data)).toBeUndefined()
})

test('formatRevert names an error with its values', () => {
  expect(formatRevert(encode('Panic', 17n))).toBe('Panic(17)')
})

// Contract errors in the error catalogue of the published clients.
test.each([
  'NotAuthorized(address caller)',
  'InvalidOwner(address owner)',
  'OwnersArrayEmpty()',
  'OwnersLimitExceeded()',
  'ZeroAddressNotAllowed()',
  'InvalidAction()',
  'TransferFailed()',
  'AlreadyInitialized()',
  'EmptyOwnersNotAllowed()',
  'OwnerDoesNotExist(address owner)',
])('decodes %s', (signature) => {
  const errorName = signature.slice(0, signature.indexOf('('))
  const args = signature.includes('address') ? [caller] : []
  const data = encodeErrorResult({ abi: parseAbi([`error ${signature}`] as readonly string[]), errorName, args })
  expect(decodeRevert(data)?.errorName).toBe(errorName)
})
