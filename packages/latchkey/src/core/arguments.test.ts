import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { requireAddress } from './arguments.ts'
import { getEntryPointAddress } from './chains/getEntryPointAddress.ts'
import { getPaymasterAddress } from './chains/getPaymasterAddress.ts'
import { getPluginAddress } from './chains/getPluginAddress.ts'

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const coded = expect.objectContaining({ code: 'ADDRESS_INVALID', shortMessage: '0x12 is not an address.' })

test('default: EIP-55 from any letter case', () => {
  expect(requireAddress(address)).toBe(address)
  expect(requireAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe(address)
  expect(requireAddress('0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266')).toBe(address)
})

test('error: a value that is not an address', () => {
  expect(() => requireAddress('0x12')).toThrow(coded)
})

test('error: look-ups check their addresses', () => {
  const parameters = { chain: foundry, address: '0x12' } as const
  expect(() => getEntryPointAddress(parameters)).toThrow(coded)
  expect(() => getPaymasterAddress({ ...parameters, entryPointVersion: '0.7.0' })).toThrow(coded)
  expect(() => getPluginAddress({ ...parameters, name: 'SessionKeyPlugin' })).toThrow(coded)
})
