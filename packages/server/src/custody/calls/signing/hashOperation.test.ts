import { bytesToHex, hashMessage, numberToHex } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
  getUserOperationHash,
} from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { hashOperation } from './hashOperation.ts'

const [sender, other] = [`0x${'a1'.repeat(20)}`, `0x${'B2'.repeat(20)}`] as const
const common = {
  sender,
  nonce: 2n ** 255n + 1n,
  callData: '0xb61d27f6',
  signature: '0x',
  callGasLimit: 2n,
  verificationGasLimit: 2n ** 128n - 1n,
  preVerificationGas: 4n,
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 6n,
} as const
const paymaster = {
  paymaster: other,
  paymasterData: '0xABcd',
  paymasterVerificationGasLimit: 7n,
  paymasterPostOpGasLimit: 0n,
} as const
const factory = { factory: other, factoryData: '0x1234' } as const

const toRequest = (operation: object) =>
  Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [name, typeof value === 'bigint' ? numberToHex(value) : value]),
  )

test.each([
  ['0.6', entryPoint06Address, { initCode: '0x', paymasterAndData: '0x' }],
  ['0.6', entryPoint06Address, { initCode: `${other}1234`, paymasterAndData: `${other}abcd` }],
  ...(
    [
      ['0.7', entryPoint07Address],
      ['0.8', entryPoint08Address],
      ['0.9', entryPoint09Address],
    ] as const
  ).flatMap(([version, address]) => [
    [version, address, {}] as const,
    [version, address, { ...paymaster, ...factory }] as const,
  ]),
] as const)('hashes an operation of EntryPoint %s as viem does', (version, address, rest) => {
  const operation = { ...common, ...rest }
  const hash = getUserOperationHash({
    chainId: 8453,
    entryPointAddress: address,
    entryPointVersion: version,
    userOperation: operation as typeof common,
  })
  const { digest, content } = hashOperation({ chainId: 8453, entryPoint: address, operation: toRequest(operation) })
  expect(bytesToHex(digest)).toBe(version < '0.8' ? hashMessage({ raw: hash }) : hash)
  expect(content).toEqual({ kind: 'operation', sender, callData: common.callData })
})

test('refuses fields that do not fit into the packed operation', () => {
  for (const changes of [{ callGasLimit: 2n ** 128n }, { nonce: '0x' }, { callData: '0x1' }, { chainId: 1 }])
    expect(() =>
      hashOperation({ chainId: 1, entryPoint: entryPoint07Address, operation: toRequest({ ...common, ...changes }) }),
    ).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
})
