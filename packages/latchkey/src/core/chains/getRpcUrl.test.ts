import { mainnet } from 'viem/chains'
import { expect, test } from 'vitest'
import { getRpcUrl, hostedNetworks } from './getRpcUrl.ts'
import { defineLatchkeyDevChain, latchkeyDev } from './latchkeyDev.ts'

const apiKey = 'key'

test('builds the URL of the provider or of the dev gateway', () => {
  expect(getRpcUrl({ chain: mainnet, apiKey })).toBe('https://eth-mainnet.g.alchemy.com/v2/key')
  expect(getRpcUrl({ chain: latchkeyDev, apiKey })).toBe('http://localhost:4103/v2/key')
})

test('prefers the parameter, then the chain object, then the table', () => {
  const chain = defineLatchkeyDevChain({ id: 1, gatewayUrl: 'http://localhost:5103' })
  expect(getRpcUrl({ chain, apiKey })).toBe('http://localhost:5103/v2/key')
  expect(getRpcUrl({ chain, apiKey, rpcUrl: 'http://localhost:1/rpc' })).toBe('http://localhost:1/rpc')
})

test('ends with a slash without an API key', () => {
  expect(getRpcUrl({ chain: mainnet })).toBe('https://eth-mainnet.g.alchemy.com/v2/')
})

test('names the networks of the provider', () => {
  expect(hostedNetworks).toEqual({
    1: 'eth-mainnet',
    5: 'eth-goerli',
    10: 'opt-mainnet',
    137: 'polygon-mainnet',
    420: 'opt-goerli',
    8453: 'base-mainnet',
    42161: 'arb-mainnet',
    80001: 'polygon-mumbai',
    80002: 'polygon-amoy',
    84531: 'base-goerli',
    84532: 'base-sepolia',
    421613: 'arb-goerli',
    421614: 'arb-sepolia',
    11155111: 'eth-sepolia',
    11155420: 'opt-sepolia',
  })
})
