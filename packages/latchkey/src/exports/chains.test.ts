import { expect, test } from 'vitest'
import * as entry from './chains.ts'

test('default: what the entry offers', () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "defineLatchkeyChain",
      "getEntryPointAddress",
      "getLightAccountContracts",
      "getPaymasterAddress",
      "getRpcUrl",
      "latchkeyDev",
      "latchkeyDevChain",
      "retiredChainIds",
      "supportedChainIds",
    ]
  `)
})
