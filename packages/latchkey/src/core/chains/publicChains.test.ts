import type { Chain } from 'viem'
import * as viemChains from 'viem/chains'
import { expect, test } from 'vitest'
import { getLightAccountContracts } from './accountContracts.ts'
import { getEntryPointAddress } from './getEntryPointAddress.ts'
import { getRpcUrl } from './getRpcUrl.ts'
import * as definitions from './publicChains.ts'
import { retiredChainIds, supportedChainIds } from './supportedChainIds.ts'

const { supportedChains, retiredChains, ...named } = definitions
const all = Object.values(named)

test('default: 19 chains, each with its id and name', () => {
  expect(Object.fromEntries(Object.entries(named).map(([key, { id, name }]) => [key, [id, name]]))).toEqual({
    mainnet: [1, 'Ethereum'],
    sepolia: [11155111, 'Sepolia'],
    goerli: [5, 'Goerli'],
    polygon: [137, 'Polygon'],
    polygonAmoy: [80002, 'Polygon Amoy'],
    polygonMumbai: [80001, 'Polygon Mumbai'],
    optimism: [10, 'OP Mainnet'],
    optimismGoerli: [420, 'Optimism Goerli'],
    optimismSepolia: [11155420, 'OP Sepolia'],
    arbitrum: [42161, 'Arbitrum One'],
    arbitrumGoerli: [421613, 'Arbitrum Goerli'],
    arbitrumSepolia: [421614, 'Arbitrum Sepolia'],
    base: [8453, 'Base'],
    baseGoerli: [84531, 'Base Goerli'],
    baseSepolia: [84532, 'Base Sepolia'],
    fraxtal: [252, 'Fraxtal'],
    fraxtalSepolia: [2523, 'Fraxtal Sepolia'],
    zora: [7777777, 'Zora'],
    zoraSepolia: [999999999, 'Zora Sepolia'],
  })
})

test('behavior: supported and retired chains are disjoint, and the retired are marked', () => {
  expect(supportedChains.map(({ id }) => id)).toEqual(supportedChainIds)
  expect(retiredChains.map(({ id }) => id)).toEqual(retiredChainIds)
  expect(supportedChains.some(({ custom }) => custom.latchkey.retired)).toBe(false)
  expect(retiredChains.every(({ custom }) => custom.latchkey.retired)).toBe(true)
})

test('behavior: all but Fraxtal and Zora have the provider’s RPC base, and each the node of the network', () => {
  const without = all.filter(({ rpcUrls }) => !rpcUrls.alchemy).map(({ id }) => id)
  expect(without).toEqual([252, 2523, 7777777, 999999999])
  expect(getRpcUrl({ chain: named.optimismGoerli, apiKey: 'key' })).toBe('https://opt-goerli.g.alchemy.com/v2/key')
  expect(all.every(({ rpcUrls }) => rpcUrls.default.http.length > 0)).toBe(true)
})

test('behavior: both entry points are on each', () => {
  for (const chain of all) {
    expect(getEntryPointAddress({ chain })).toBe('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')
    expect(getEntryPointAddress({ chain, version: '0.7.0' })).toBe('0x0000000071727De22E5E9d8BAf0edAc6f37da032')
  }
})

test('behavior: default account versions are on every chain to offer', () => {
  for (const chain of supportedChains) {
    expect(getLightAccountContracts({ version: 'v1.1.0', chain })).toBeDefined()
    expect(getLightAccountContracts({ version: 'v2.0.0', chain })).toBeDefined()
  }
})

test('behavior: what a chain says of itself is what viem says of it', () => {
  // viem defines only the earlier test network of Fraxtal.
  const { fraxtalSepolia: _, ...known } = named
  const others = new Map<string, Chain>(Object.entries(viemChains))
  for (const [name, chain] of Object.entries(known)) {
    const other = others.get(name)
    if (!other) throw new TypeError(`viem has no chain ${name}.`)
    const read = ({
      id,
      name,
      nativeCurrency,
      rpcUrls,
      blockTime,
      sourceId,
      testnet,
      contracts,
      blockExplorers,
    }: Chain) => ({
      id,
      name,
      nativeCurrency,
      node: rpcUrls.default.http[0],
      blockTime,
      sourceId,
      testnet,
      multicall3: String(contracts?.multicall3?.address).toLowerCase(),
      multicall3Block: contracts?.multicall3?.blockCreated,
      explorer: blockExplorers?.default.url,
    })
    expect(read(chain)).toEqual(read(other))
  }
  const resolver = (chain: Chain) => chain.contracts?.ensUniversalResolver
  expect([resolver(named.mainnet), resolver(named.sepolia)]).toEqual([
    resolver(viemChains.mainnet),
    resolver(viemChains.sepolia),
  ])
})
