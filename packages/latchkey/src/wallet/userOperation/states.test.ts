import { expect, test } from 'vitest'
import { v06 } from '../entryPoint/v06.ts'
import { v07 } from '../entryPoint/v07.ts'
import { requireComplete } from './states.ts'

const common = {
  sender: '0x49fCE026Cb407cbbd7Ca9E0e1d868e94de55A1a4',
  nonce: 0n,
  callData: '0x',
  signature: '0x',
  callGasLimit: 1n,
  verificationGasLimit: 1n,
  preVerificationGas: 1n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 0n,
} as const
const operation06 = { ...common, initCode: '0x', paymasterAndData: '0x' } as const
const paymaster = {
  paymaster: '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313',
  paymasterData: '0x',
  paymasterVerificationGasLimit: 1n,
  paymasterPostOpGasLimit: 0n,
} as const

test('returns a complete operation', () => {
  expect(requireComplete(operation06, v06)).toBe(operation06)
  expect(requireComplete(common, v07)).toBe(common)
})

test.each(Object.keys(operation06))('refuses version 0.6 without %s', (name) => {
  const { [name as keyof typeof operation06]: _, ...rest } = operation06
  expect(() => requireComplete(rest, v06)).toThrow(
    expect.objectContaining({
      code: 'USER_OPERATION_INVALID',
      message: expect.stringContaining(
        'Request is missing parameters. All properties on UserOperationStruct must be set. uo: {',
      ),
    }),
  )
})

test.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas'])('refuses %s of 0', (name) => {
  expect(() => requireComplete({ ...operation06, [name]: 0n }, v06)).toThrow('Request is missing parameters.')
})

test('prints bigints as tagged objects', () => {
  expect(() => requireComplete({ nonce: 5n }, v06)).toThrow(
    'uo: {\n  "nonce": {\n    "type": "bigint",\n    "value": "5"\n  }\n}',
  )
})

test('requires all paymaster fields of version 0.7 or none', () => {
  expect(requireComplete({ ...common, ...paymaster }, v07)).toMatchObject(paymaster)
  for (const name of Object.keys(paymaster)) {
    const { [name as keyof typeof paymaster]: _, ...rest } = paymaster
    expect(() => requireComplete({ ...common, ...rest }, v07)).toThrow('Request is missing parameters.')
  }
})

test('requires factory and data of version 0.7 together', () => {
  const factory = '0x00004EC70002a32400f8ae005A26081065620D20'
  expect(() => requireComplete({ ...common, factory }, v07)).toThrow('Request is missing parameters.')
  expect(requireComplete({ ...common, factory, factoryData: '0x' }, v07)).toMatchObject({ factory })
})
