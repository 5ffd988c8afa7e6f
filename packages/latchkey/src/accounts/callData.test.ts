import fc from 'fast-check'
import { type Hex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { encodeCalls } from './callData.ts'
import { lightAccountContract } from './lightAccount/versions.ts'
import type { Call } from './types.ts'

const contract = lightAccountContract('v1.1.0')
const to = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const encode = (calls: readonly Call[]) => encodeCalls(contract, calls, zeroAddress)

test('accepts calls without value or data, and addresses in any letter case', () => {
  const whole = encode([{ to, value: 0n, data: '0x' }])
  expect(encode([{ to }])).toBe(whole)
  expect(encode([{ to: '0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266' }])).toBe(whole)
})

test('refuses an invalid address anywhere in the list', () => {
  for (const calls of [[{ to: '0x12' }], [{ to }, { to: '0x12' }]] as const) {
    expect(() => encode(calls)).toThrow(
      expect.objectContaining({ code: 'ADDRESS_INVALID', shortMessage: '0x12 is not an address.' }),
    )
  }
})

test('refuses a value of more than 256 bits', () => {
  const outside = fc.oneof(fc.bigInt({ max: -1n }), fc.bigInt({ min: 2n ** 256n }))
  fc.assert(
    fc.property(outside, (value) => {
      expect(() => encode([{ to, value }])).toThrow(
        expect.objectContaining({
          code: 'ARGUMENT_INVALID',
          shortMessage: `The value of a call is not a uint256: ${value}`,
          metaMessages: ['Pass a bigint from 0n to 2n ** 256n - 1n.'],
        }),
      )
    }),
  )
})

test('refuses data that is not valid hex', () => {
  for (const data of ['0x1', '0xzz', '12', 'deadbeef'] as Hex[]) {
    expect(() => encode([{ to, data }]), data).toThrow(
      expect.objectContaining({
        code: 'ARGUMENT_INVALID',
        shortMessage: 'The data of a call is not valid hex.',
        metaMessages: ['Pass 0x and two hexadecimal digits per byte.'],
      }),
    )
  }
})
