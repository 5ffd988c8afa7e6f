import { expect, test } from 'vitest'
import { getMultiOwnerLightAccountContracts } from './getMultiOwnerLightAccountContracts.ts'
import { latchkeyDev } from './latchkeyDev.ts'
import { base, goerli } from './publicChains.ts'

const version = 'v2.0.0'
const known = {
  factory: '0x000000000019d2Ee9F2729A65AfE20bb0020AefC',
  implementation: '0xd2c27F9eE8E4355f71915ffD5568cB3433b6823D',
}

test('default', () => {
  expect(getMultiOwnerLightAccountContracts({ version })).toEqual(known)
  expect(getMultiOwnerLightAccountContracts({ version, chain: base })).toEqual(known)
  expect(getMultiOwnerLightAccountContracts({ version, chain: latchkeyDev })).toEqual(known)
})

test('behavior: what the chain says goes first', () => {
  const own = { factory: latchkeyDev.custom.latchkey.plugins?.MultiOwnerPlugin ?? '0x', implementation: '0x' } as const
  const chain = { ...base, custom: { latchkey: { multiOwnerLightAccount: { [version]: own } } } }
  expect(getMultiOwnerLightAccountContracts({ version, chain })).toBe(own)
})

test('behavior: nothing is assumed where nothing is known to be deployed', () => {
  expect(getMultiOwnerLightAccountContracts({ version, chain: goerli })).toBeUndefined()
  expect(getMultiOwnerLightAccountContracts({ version, chain: { ...base, id: 424242 } })).toBeUndefined()
})
