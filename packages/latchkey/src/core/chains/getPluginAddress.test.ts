import { foundry, mainnet, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { getPluginAddress } from './getPluginAddress.ts'
import { latchkeyDev } from './latchkeyDev.ts'

const own = '0x1111111111111111111111111111111111111111'

test('default: one address on every chain that has the plugin', () => {
  const ids = [1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999]
  for (const id of ids) {
    const chain = { ...mainnet, id: id as 1 }
    expect(getPluginAddress({ name: 'MultiOwnerPlugin', chain })).toBe('0xcE0000007B008F50d762D155002600004cD6c647')
    expect(getPluginAddress({ name: 'SessionKeyPlugin', chain })).toBe('0x0000003E0000a96de4058e1E02a62FaaeCf23d8d')
  }
})

test('param: the parameter takes precedence over the chain object, that over the table', () => {
  const chain = { ...sepolia, custom: { latchkey: { plugins: { MultiOwnerPlugin: own } } } }
  expect(getPluginAddress({ name: 'MultiOwnerPlugin', chain })).toBe(own)
  const address = '0x2222222222222222222222222222222222222222'
  expect(getPluginAddress({ name: 'MultiOwnerPlugin', chain, address })).toBe(address)
  expect(getPluginAddress({ name: 'MultiOwnerPlugin', chain: latchkeyDev })).toMatch(/^0xcE/)
})

test('error: a chain without the plugin', () => {
  expect(() => getPluginAddress({ name: 'MultiOwnerPlugin', chain: foundry })).toThrow(
    expect.objectContaining({
      code: 'PLUGIN_NOT_FOUND',
      shortMessage: 'missing MultiOwnerPlugin address for chain Foundry',
    }),
  )
  expect(() => getPluginAddress({ name: 'SessionKeyPlugin', chain: foundry })).toThrow(
    'missing SessionKeyPlugin address for chain Foundry',
  )
})
