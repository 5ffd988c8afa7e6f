import type { Chain } from 'viem'
import * as viemChains from 'viem/chains'
import { expect, test } from 'vitest'
import { getRpcUrl } from './getRpcUrl.ts'
import * as definitions from './publicChains.ts'

const { supportedChains, retiredChains, ...named } = definitions
const all = Object.values(named)

test('gives every chain a node URL, and all but Fraxtal and Zora the RPC base of the provider', () => {
  const without = all.filter(({ rpcUrls }) => !rpcUrls.alchemy).map(({ id }) => id)
  expect(without).toEqual([252, 2523, 7777777, 999999999])
  expect(getRpcUrl({ chain: named.optimismGoerli, apiKey: 'key' })).toBe('https://opt-goerli.g.alchemy.com/v2/key')
  expect(all.every(({ rpcUrls }) => rpcUrls.default.http.length > 0)).toBe(true)
})

test('matches the chain definitions of viem', () => {
  // viem defines only the earlier test network of Fraxtal.
  const { fraxtalSepolia: _, ...known } = named
  const others = new Map<string, Chain>(Object.entries(viemChains))
  for (const [name, chain] of Object.entries(known)) {
    const other = others.get(name)
    if (!other) throw new TypeError(`viem has no chain ${name}.`)
    const names = ['id', 'name', 'nativeCurrency', 'blockTime', 'sourceId', 'testnet'] as const
    const read = ({ rpcUrls, contracts, blockExplorers, ...rest }: Chain) => ({
      ...Object.fromEntries(names.map((name) => [name, rest[name]])),
      node: rpcUrls.default.http[0],
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
