import { goerli, sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { defineLatchkeyChain } from './defineLatchkeyChain.ts'
import { getEntryPointAddress } from './getEntryPointAddress.ts'
import { latchkeyDev } from './latchkeyDev.ts'

const other = '0x98eDDadCfde04dC22a0e62119617e74a6Bc77313'
const nowhere = { ...sepolia, id: 424242, name: 'Nowhere' }

test('default', () => {
  expect(getEntryPointAddress({ chain: sepolia })).toBe('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')
  expect(getEntryPointAddress({ chain: goerli, version: '0.7.0' })).toBe('0x0000000071727De22E5E9d8BAf0edAc6f37da032')
  expect(getEntryPointAddress({ chain: latchkeyDev })).toBe('0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789')
})

test('behavior: parameter, then chain, then table', () => {
  const chain = defineLatchkeyChain({
    chain: sepolia,
    rpcBaseUrl: 'http://localhost:1',
    entryPoints: { '0.6.0': { address: other } },
  })
  expect(getEntryPointAddress({ chain })).toBe(other)
  expect(getEntryPointAddress({ chain, version: '0.7.0' })).toBe('0x0000000071727De22E5E9d8BAf0edAc6f37da032')
  expect(getEntryPointAddress({ chain: nowhere, address: other })).toBe(other)
})

test('error: an unknown chain', () => {
  expect(() => getEntryPointAddress({ chain: nowhere })).toThrow(
    expect.objectContaining({
      code: 'ENTRY_POINT_NOT_FOUND',
      message: expect.stringContaining('No default entry point v0.6.0 exists for Nowhere.\n\nSupply an override.'),
    }),
  )
})
