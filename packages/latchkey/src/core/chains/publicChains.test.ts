import type { Chain } from 'viem'
import * as viemChains from 'viem/chains'
import { expect, test } from 'vitest'
import { getRpcUrl } from './getRpcUrl.ts'
import * as definitions from './publicChains.ts'

const { supportedChains, retiredChains, ...named } = definitions
const all = Object.values(named)

test('behavior: all but Fraxtal and Zora have the provider’s RPC base, and each the node of the network', () => {
  const without = all.filter(({ rpcUrls }) => !rpcUrls.alchemy).map(({ id }) => id)
  expect(without).toEqual([252, 2523, 7777777, 999999999])
  expect(getRpcUrl({ chain: named.optimismGoerli, apiKey: 'key' })).toBe('https://opt-goerli.g.alchemy.com/v2/key')
  expect(all.every(({ rpcUrls }) => rpcUrls.default.http.length > 0)).toBe(true)
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
