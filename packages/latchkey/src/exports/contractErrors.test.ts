import { encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { decodeRevert } from './accounts.ts'

// The errors of the contracts that the catalogue of the published clients names, decoded through the public API.

const contractErrors = [
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
]

test.each(contractErrors)('error: a contract reverts with %s', (signature) => {
  const abi = parseAbi([`error ${signature}`] as readonly string[])
  const errorName = signature.slice(0, signature.indexOf('('))
  const args = signature.includes('address') ? ['0x000000000000000000000000000000000000dEaD'] : []
  const data = encodeErrorResult({ abi, errorName, args } as Parameters<typeof encodeErrorResult>[0])
  expect(decodeRevert(data)?.errorName).toBe(errorName)
})
