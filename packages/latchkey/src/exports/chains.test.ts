import { expect, test } from 'vitest'
import * as entry from './chains.ts'

test('default: what the entry offers', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "arbitrum",
      "arbitrumGoerli",
      "arbitrumSepolia",
      "base",
      "baseGoerli",
      "baseSepolia",
      "defineLatchkeyChain",
      "defineLatchkeyDevChain",
      "fraxtal",
      "fraxtalSepolia",
      "getEntryPointAddress",
      "getLightAccountContracts",
      "getMultiOwnerLightAccountContracts",
      "getPaymasterAddress",
      "getRpcUrl",
      "goerli",
      "latchkeyDev",
      "latchkeyDevChain",
      "mainnet",
      "optimism",
      "optimismGoerli",
      "optimismSepolia",
      "polygon",
      "polygonAmoy",
      "polygonMumbai",
      "retiredChainIds",
      "retiredChains",
      "sepolia",
      "supportedChainIds",
      "supportedChains",
      "zora",
      "zoraSepolia",
    ]
  `)
})
