import { mainnet } from 'viem/chains'
import { expect, test } from 'vitest'
import { getRpcUrl } from './getRpcUrl.ts'
import { defineLatchkeyDevChain, latchkeyDev } from './latchkeyDev.ts'

const apiKey = 'key'

test('default', () => {
  expect(getRpcUrl({ chain: mainnet, apiKey })).toBe('https://eth-mainnet.g.alchemy.com/v2/key')
  expect(getRpcUrl({ chain: latchkeyDev, apiKey })).toBe('http://localhost:4103/v2/key')
})

test('behavior: parameter, then chain, then table', () => {
  const chain = defineLatchkeyDevChain({ id: 1, gatewayUrl: 'http://localhost:5103' })
  expect(getRpcUrl({ chain, apiKey })).toBe('http://localhost:5103/v2/key')
  expect(getRpcUrl({ chain, apiKey, rpcUrl: 'http://localhost:1/rpc' })).toBe('http://localhost:1/rpc')
})

test('behavior: without an API key the URL ends with a slash', () => {
  expect(getRpcUrl({ chain: mainnet })).toBe('https://eth-mainnet.g.alchemy.com/v2/')
})
