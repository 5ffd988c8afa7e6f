import { arbitrumSepolia, base, bsc, goerli, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { defineLatchkeyChain } from './defineLatchkeyChain.ts'
import { getEntryPointAddress } from './getEntryPointAddress.ts'
import { getPaymasterAddress } from './getPaymasterAddress.ts'
import { getPluginAddress } from './getPluginAddress.ts'
import { latchkeyDev } from './latchkeyDev.ts'
import { plugins } from './plugins.ts'
import { retiredChainIds, supportedChainIds } from './supportedChainIds.ts'

// The error catalogue test in `exports` covers chains that the tables do not list.

const own = '0x1111111111111111111111111111111111111111'
const given = '0x2222222222222222222222222222222222222222'
const chain = defineLatchkeyChain({
  chain: sepolia,
  rpcBaseUrl: 'http://localhost:1',
  entryPoints: { '0.6.0': { address: own } },
  paymasters: { '0.6.0': own },
  plugins: { MultiOwnerPlugin: own },
})

test('resolves entry points', () => {
  expect(getEntryPointAddress({ chain: sepolia })).toBe('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')
  expect(getEntryPointAddress({ chain: goerli, version: '0.7.0' })).toBe('0x0000000071727De22E5E9d8BAf0edAc6f37da032')
  expect(getEntryPointAddress({ chain })).toBe(own)
  expect(getEntryPointAddress({ chain, version: '0.7.0' })).toBe('0x0000000071727De22E5E9d8BAf0edAc6f37da032')
  expect(getEntryPointAddress({ chain, address: given })).toBe(given)
})

test('resolves paymasters', () => {
  const of = (
    from: typeof sepolia | typeof base | typeof arbitrumSepolia,
    entryPointVersion: '0.6.0' | '0.7.0' = '0.6.0',
  ) => getPaymasterAddress({ chain: from, entryPointVersion })
  expect(of(base)).toBe('0x4Fd9098af9ddcB41DA48A1d78F91F1398965addc')
  expect(of(arbitrumSepolia)).toBe('0x0804Afe6EEFb73ce7F93CD0d5e7079a5a8068592')
  expect(of(sepolia)).toBe('0xc03aac639bb21233e0139381970328db8bceeb67')
  expect(of(sepolia, '0.7.0')).toBe('0x2cc0c7981D846b9F2a16276556f6e8cb52BfB633')
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.6.0' })).toBe(own)
  expect(getPaymasterAddress({ chain, entryPointVersion: '0.6.0', address: given })).toBe(given)
  expect(() => getPaymasterAddress({ chain: goerli, entryPointVersion: '0.6.0' })).toThrow('Unsupported chain: Goerli')
})

test('resolves plugins', () => {
  const name = 'MultiOwnerPlugin'
  expect(getPluginAddress({ name, chain: latchkeyDev })).toBe('0xcE0000007B008F50d762D155002600004cD6c647')
  expect(getPluginAddress({ name, chain })).toBe(own)
  expect(getPluginAddress({ name, chain, address: given })).toBe(given)
})

function groupChains(find: (chain: typeof sepolia) => string): Record<string, number[]> {
  const groups: Record<string, number[]> = {}
  for (const id of [...supportedChainIds, ...retiredChainIds, bsc.id]) {
    let address = 'none'
    try {
      address = find({ ...sepolia, id } as typeof sepolia)
    } catch {}
    groups[address] = [...(groups[address] ?? []), id].sort((a, b) => a - b)
  }
  return groups
}

test('has version 1.0.0 of the multi-owner plugin on fifteen chains at one address', () => {
  expect(plugins.MultiOwnerPlugin.version).toBe('1.0.0')
  expect(groupChains((chain) => getPluginAddress({ name: 'MultiOwnerPlugin', chain }))).toEqual({
    '0xcE0000007B008F50d762D155002600004cD6c647': [
      1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
    ],
    none: [5, 56, 420, 84531, 421613],
  })
})

test('has one of four paymasters for entry point 0.6.0 on each chain', () => {
  expect(groupChains((chain) => getPaymasterAddress({ chain, entryPointVersion: '0.6.0' }))).toEqual({
    '0x4Fd9098af9ddcB41DA48A1d78F91F1398965addc': [1, 10, 137, 8453, 42161],
    '0x4f84a207A80c39E9e8BaE717c1F25bA7AD1fB08F': [252, 2523, 80002, 84532, 7777777, 11155420, 999999999],
    '0x0804Afe6EEFb73ce7F93CD0d5e7079a5a8068592': [421614],
    '0xc03aac639bb21233e0139381970328db8bceeb67': [80001, 11155111],
    none: [5, 56, 420, 84531, 421613],
  })
})
