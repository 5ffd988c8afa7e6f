import fc from 'fast-check'
import { type Address, getAddress, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { listOwners } from './listOwners.ts'

const lower = '0x00000000000000000000000000000000000000ab'
const higher = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)
const spelt = fc.tuple(address, fc.constantFrom('lower', 'eip55', 'upper')).map(([value, form]): Address => {
  if (form === 'eip55') return getAddress(value)
  return form === 'upper' ? `0x${value.slice(2).toUpperCase()}` : value
})

test('includes the signer and sorts by number, in EIP-55 form', () => {
  expect(listOwners([lower], higher)).toEqual([getAddress(lower), higher])
  expect(listOwners([higher], lower)).toEqual([getAddress(lower), higher])
})

test('drops the zero address and duplicates in any letter case', () => {
  const other: Address = `0x${higher.slice(2).toUpperCase()}`
  expect(listOwners([higher, zeroAddress, other], `0x${higher.slice(2).toLowerCase()}`)).toEqual([higher])
})

test('returns the same complete ascending list for any order of owners', () => {
  const lists = fc.array(spelt, { minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(lists, fc.integer(), (owners, turn) => {
      const made = listOwners(owners)
      const numbers = made.map(BigInt)
      expect(numbers.every((value, index) => index === 0 || value > (numbers[index - 1] ?? 0n))).toBe(true)
      expect(new Set(numbers)).toEqual(new Set(owners.map(BigInt)))
      expect(made.every((owner) => owner === getAddress(owner))).toBe(true)
      const cut = Math.abs(turn % owners.length)
      expect(listOwners([...owners.slice(cut), ...owners.slice(0, cut), zeroAddress])).toEqual(made)
    }),
  )
})

test('refuses more than 100 owners', () => {
  const owners = Array.from({ length: 101 }, () => privateKeyToAddress(generatePrivateKey()))
  expect(listOwners(owners.slice(1))).toHaveLength(100)
  expect(() => listOwners(owners)).toThrow(
    expect.objectContaining({
      code: 'OWNERS_INVALID',
      name: 'OwnersLimitExceeded',
      shortMessage: 'An account can be made with 100 owners at most.',
      metaMessages: ['Owners given: 101', 'Make it with fewer, and add the others with `updateOwners`.'],
    }),
  )
})
