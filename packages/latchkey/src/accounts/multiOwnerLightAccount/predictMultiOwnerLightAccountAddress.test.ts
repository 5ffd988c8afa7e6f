import fc from 'fast-check'
import { type Address, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { goerli } from '../../core/chains/publicChains.ts'
import { predictMultiOwnerLightAccountAddress } from './predictMultiOwnerLightAccountAddress.ts'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test('default: the published address', () => {
  expect(predictMultiOwnerLightAccountAddress({ owners: [owner], salt: 0n })).toBe(
    '0x6ef8bb149c4422a33f87eF6A406B601D8F964b65',
  )
})

test('param: salt and owners', () => {
  const addresses = [
    predictMultiOwnerLightAccountAddress({ owners: [owner] }),
    predictMultiOwnerLightAccountAddress({ owners: [owner], salt: 1n }),
    predictMultiOwnerLightAccountAddress({ owners: [owner, other] }),
  ]
  expect(new Set(addresses).size).toBe(3)
})

test('behavior: order, duplicates, letter case and the zero address make no difference', () => {
  const expected = predictMultiOwnerLightAccountAddress({ owners: [owner, other] })
  const spellings: Address[] = [owner, other, `0x${owner.slice(2).toLowerCase()}`, zeroAddress]
  fc.assert(
    fc.property(fc.shuffledSubarray(spellings, { minLength: 4 }), (owners) => {
      expect(predictMultiOwnerLightAccountAddress({ owners })).toBe(expected)
    }),
  )
})

test('error: no owners, an unknown version, a chain without the contracts', () => {
  expect(() => predictMultiOwnerLightAccountAddress({ owners: [] })).toThrow(
    expect.objectContaining({ code: 'OWNERS_INVALID', name: 'OwnersArrayEmpty' }),
  )
  const version = 'v1.1.0' as 'v2.0.0'
  expect(() => predictMultiOwnerLightAccountAddress({ owners: [owner], version })).toThrow(
    expect.objectContaining({
      code: 'VERSION_UNKNOWN',
      shortMessage: 'Unknown version v1.1.0 of MultiOwnerLightAccount',
    }),
  )
  expect(() => predictMultiOwnerLightAccountAddress({ owners: [owner], chain: goerli })).toThrow(
    expect.objectContaining({
      code: 'FACTORY_NOT_FOUND',
      shortMessage: 'No factory of MultiOwnerLightAccount v2.0.0 is known.',
    }),
  )
})
