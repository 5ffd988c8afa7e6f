import fc from 'fast-check'
import { type Address, decodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { encodeLightCalls } from './encoding.ts'

const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])
const hex = (constraints: fc.IntArrayConstraints) =>
  fc.uint8Array(constraints).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const call = fc.record({
  to: hex({ minLength: 20, maxLength: 20 }).map((value): Address => getAddress(value)),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data: hex({ maxLength: 100 }),
})

test('default: one call is execute, and is decoded as it was', () => {
  fc.assert(
    fc.property(call, ({ to, value, data }) => {
      expect(decodeFunctionData({ abi, data: encodeLightCalls([{ to, value, data }]) })).toEqual({
        functionName: 'execute',
        args: [to, value, data],
      })
    }),
  )
})

test('behavior: several calls are one executeBatch in the order given, and are decoded as they were', () => {
  fc.assert(
    fc.property(call, call, fc.array(call, { maxLength: 10 }), (first, second, more) => {
      const calls = [first, second, ...more]
      const data = encodeLightCalls([first, second, ...more])
      expect(data.slice(0, 10)).toBe('0x47e1da2a')
      expect(decodeFunctionData({ abi, data })).toEqual({
        functionName: 'executeBatch',
        args: [calls.map(({ to }) => to), calls.map(({ value }) => value), calls.map((one) => one.data)],
      })
    }),
  )
})
