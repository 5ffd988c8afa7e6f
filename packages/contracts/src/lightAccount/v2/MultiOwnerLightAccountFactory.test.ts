import type { TestChain } from '@latchkey/testkit/chain'
import { multiOwnerLightAccountV2 } from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, encodeFunctionData, getAddress, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const { abi, factory } = multiOwnerLightAccountV2
const [a, b, c] = [ownerOf(0x10001), ownerOf(0x10002), ownerOf(0x10003)]

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

function ownerOf(number: number): Address {
  return getAddress(toHex(number, { size: 20 }))
}

const ownersFrom = (count: number) => Array.from({ length: count }, (_, index) => ownerOf(0x10001 + index))

const addressOf = async (owners: readonly Address[]) => {
  const call = { ...factory, functionName: 'getAddress', args: [owners, 0n] }
  return (await chain.client(1).read.readContract(call)) as Address
}

test('lists its owners in reverse', async () => {
  const { read, transact } = chain.client(1)
  const address = await addressOf([a, b, c])
  const data = encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args: [[a, b, c], 0n] })
  await transact({ to: factory.address, data })
  expect(await read.readContract({ address, abi, functionName: 'owners' })).toEqual([c, b, a])
  expect(await addressOf([a, b])).not.toBe(address)
})

test('createAccountSingle makes the account of a list of one', async () => {
  const { read, transact } = chain.client(1)
  const single = { ...factory, functionName: 'createAccountSingle', args: [a, 3n] }
  const list = { ...factory, functionName: 'createAccount', args: [[a], 3n] }
  const { result: address } = await read.simulateContract(single)
  expect((await read.simulateContract(list)).result).toBe(address)
  await transact({ to: factory.address, data: encodeFunctionData(single) })
  expect((await read.simulateContract(list)).result).toBe(address)
  const owners = { address: address as Address, abi, functionName: 'owners' }
  expect(await read.readContract(owners)).toEqual([a])
})

test('fits a hundred owners into a block', async () => {
  const owners = ownersFrom(100)
  const data = encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args: [owners, 0n] })
  await chain.client(1).transact({ to: factory.address, data })
  const address = await addressOf(owners)
  const { read } = chain.client(1)
  expect(await read.readContract({ address, abi, functionName: 'owners' })).toEqual([...owners].reverse())
})

test('refuses invalid lists of owners', async () => {
  const cases: [readonly Address[], string][] = [
    [[], 'OwnersArrayEmpty'],
    [ownersFrom(101), 'OwnersLimitExceeded'],
    [[zeroAddress], 'InvalidOwners'],
    [[zeroAddress, a], 'InvalidOwners'],
    [[a, a], 'InvalidOwners'],
    [[b, a], 'InvalidOwners'],
    [[a, c, b], 'InvalidOwners'],
  ]
  const { read } = chain.client(1)
  for (const [owners, name] of cases) {
    const args = [owners, 0n]
    const calls = [
      read.simulateContract({ ...factory, functionName: 'createAccount', args }),
      read.readContract({ ...factory, functionName: 'getAddress', args }),
    ]
    const refusal = { name, args: [] }
    expect(await Promise.all(calls.map(readRevert))).toEqual([refusal, refusal])
  }
  const nobody = { ...factory, abi: [...factory.abi, ...abi.filter(({ type }) => type === 'error')] }
  const single = read.simulateContract({ ...nobody, functionName: 'createAccountSingle', args: [zeroAddress, 0n] })
  expect(await readRevert(single)).toEqual({ name: 'InvalidOwner', args: [zeroAddress] })
})
