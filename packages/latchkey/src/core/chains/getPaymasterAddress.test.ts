import { arbitrumSepolia, base, goerli, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { getPaymasterAddress } from './getPaymasterAddress.ts'
import { defineLatchkeyDevChain } from './latchkeyDev.ts'

const other = '0x0000000000000000000000000000000000000001'

test.each([
  [base, '0x4Fd9098af9ddcB41DA48A1d78F91F1398965addc'],
  [arbitrumSepolia, '0x0804Afe6EEFb73ce7F93CD0d5e7079a5a8068592'],
  [sepolia, '0xc03aac639bb21233e0139381970328db8bceeb67'],
])('default: $name', (chain, address) => {
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.6.0' })).toBe(address)
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.7.0' })).toBe('0x2cc0c7981D846b9F2a16276556f6e8cb52BfB633')
})

test('behavior: parameter, then chain, then table', () => {
  const chain = defineLatchkeyDevChain({ id: 11155111, paymasters: { '0.6.0': other } })
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.6.0' })).toBe(other)
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.7.0' })).toBe('0x98eDDadCfde04dC22a0e62119617e74a6Bc77313')
  const address = '0x0000000000000000000000000000000000000002'
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.6.0', address })).toBe(address)
})

test('error: a retired chain', () => {
  expect(() => getPaymasterAddress({ chain: goerli, entryPointVersion: '0.6.0' })).toThrow(
    'Unsupported chain: Goerli (5)',
  )
})
