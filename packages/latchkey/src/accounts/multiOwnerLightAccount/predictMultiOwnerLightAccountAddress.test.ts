import { expect, test } from 'vitest'
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
