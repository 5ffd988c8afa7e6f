import { type Address, decodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { encodeExecuteWithSessionKey } from './executeWithSessionKey.ts'
import { sessionKeyPluginAbi as abi } from './sessionKeyPluginAbi.ts'

const target: Address = '0x1111111111111111111111111111111111111111'
const key: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('default: the calls, completed, and the key', () => {
  const lower = key.toLowerCase() as Address
  const data = encodeExecuteWithSessionKey({ args: [[{ target }, { target, value: 2n, data: '0x1234' }], lower] })
  expect(decodeFunctionData({ abi, data })).toEqual({
    functionName: 'executeWithSessionKey',
    args: [
      [
        { target, value: 0n, data: '0x' },
        { target, value: 2n, data: '0x1234' },
      ],
      key,
    ],
  })
})

test('error: no call, and what is no address, amount or data', () => {
  const encode = (call: object, by = key) => encodeExecuteWithSessionKey({ args: [[{ target, ...call }], by] })
  const failed = (code: string) => expect.objectContaining({ code })
  expect(() => encodeExecuteWithSessionKey({ args: [[], key] })).toThrow(failed('USER_OPERATION_INVALID'))
  expect(() => encode({}, '0x12')).toThrow(failed('ADDRESS_INVALID'))
  expect(() => encode({ target: '0x12' })).toThrow(failed('ADDRESS_INVALID'))
  expect(() => encode({ value: -1n })).toThrow(failed('ARGUMENT_INVALID'))
  expect(() => encode({ data: 'hello' })).toThrow(failed('ARGUMENT_INVALID'))
})
