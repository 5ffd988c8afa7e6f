import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  ownersOf,
  type TestAccount,
  validate,
  multiOwnerLightAccountV2 as version,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import fc from 'fast-check'
import { type Address, encodeFunctionData, getAddress, keccak256, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const { abi } = version
const hash = keccak256(toHex('operation'))

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const update = (add: readonly Address[], remove: readonly Address[]) =>
  encodeFunctionData({ abi, functionName: 'updateOwners', args: [add, remove] })

function refusalOf({ account, owner, read }: TestAccount, add: readonly Address[], remove: readonly Address[]) {
  const args = [add, remove]
  return readRevert(read.simulateContract({ ...account, functionName: 'updateOwners', args, account: owner.address }))
}

test('lets every current owner do everything', async () => {
  const it = await createLightAccount(chain, version)
  const [second, third] = [await chain.freshAccount(), await chain.freshAccount()]
  await it.by.transact({ to: it.address, data: update([second.address, third.address], []) })
  expect(await ownersOf(it)).toEqual([third.address, second.address, it.owner.address])
  const signedBy = async (key: typeof second) => version.byKey(await key.signMessage({ message: { raw: hash } }))
  for (const key of [it.owner, second, third]) expect(await validate(it, await signedBy(key), hash)).toBe(0n)

  const args = [it.address, 0n, update([], [it.owner.address])]
  const data = encodeFunctionData({ abi, functionName: 'execute', args })
  const { blockNumber } = await chain.connect(second.privateKey).transact({ to: it.address, data })
  expect(await ownersOf(it)).toEqual([third.address, second.address])
  const events = await it.read.getContractEvents({ ...it.account, eventName: 'OwnersUpdated', fromBlock: blockNumber })
  expect(events.map(({ args }) => args)).toEqual([{ addedOwners: [], removedOwners: [it.owner.address] }])
  expect(await validate(it, await signedBy(it.owner), hash)).toBe(1n)
  expect(await refusalOf(it, [it.owner.address], [])).toEqual({ name: 'NotAuthorized', args: [it.owner.address] })
})

test('refuses impossible owners', async () => {
  const it = await createLightAccount(chain, version)
  const { address: next } = await chain.freshAccount()
  for (const [add, wrong] of [
    [[zeroAddress], zeroAddress],
    [[it.address], it.address],
    [[it.owner.address], it.owner.address],
    [[next, next], next],
  ] as const)
    expect(await refusalOf(it, add, [])).toEqual({ name: 'InvalidOwner', args: [wrong] })
  expect(await refusalOf(it, [], [next])).toEqual({ name: 'OwnerDoesNotExist', args: [next] })
  const twice = await refusalOf(it, [next], [it.owner.address, it.owner.address])
  expect(twice).toEqual({ name: 'OwnerDoesNotExist', args: [it.owner.address] })
  expect(await refusalOf(it, [], [it.owner.address])).toEqual({ name: 'EmptyOwnersNotAllowed', args: [] })
  expect(await refusalOf(it, [], [zeroAddress])).toEqual({ name: 'OwnerDoesNotExist', args: [zeroAddress] })
})

test('keeps an owner that is both added and removed', async () => {
  const it = await createLightAccount(chain, version)
  await it.by.transact({ to: it.address, data: update([it.owner.address], [it.owner.address]) })
  expect(await ownersOf(it)).toEqual([it.owner.address])
})

test('accepts more than a hundred owners after deployment', async () => {
  const it = await createLightAccount(chain, version)
  const many = Array.from({ length: 150 }, (_, index) => getAddress(toHex(0x10000 + index, { size: 20 })))
  await it.by.transact({ to: it.address, data: update(many, []) })
  expect(await ownersOf(it)).toEqual([...[...many].reverse(), it.owner.address])
})

test('matches a list model after any changes', async () => {
  // The set of addresses is small, so that changes overlap.
  const names = Array.from({ length: 6 }, (_, index) => getAddress(toHex(index + 1, { size: 20 })))
  const list = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 })
  const changes = fc.array(fc.record({ add: list, remove: list }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(changes, async (steps) => {
      const it = await createLightAccount(chain, version)
      let expected: Address[] = [it.owner.address]
      for (const { add, remove } of steps) {
        const rest = expected.filter((owner) => !remove.includes(owner))
        const isGood = remove.every((owner) => expected.includes(owner)) && !add.some((owner) => rest.includes(owner))
        if (isGood) {
          await it.by.transact({ to: it.address, data: update(add, remove) })
          expected = [...[...add].reverse(), ...rest]
        } else expect((await refusalOf(it, add, remove)).name).toMatch(/^(OwnerDoesNotExist|InvalidOwner)$/)
        expect(await ownersOf(it)).toEqual(expected)
      }
    }),
    { numRuns: 8 },
  )
})

test('refuses signatures in the name of an owner by others', async () => {
  const it = await createLightAccount(chain, version)
  const contract = await createLightAccount(chain, version)
  // The owner of a contract may sign for the contract, but this contract owns nothing here.
  const inner = await contract.owner.signMessage({ message: { raw: hash } })
  const claims = [contract.address, it.owner.address, it.address, zeroAddress]
  for (const owner of claims) expect(await validate(it, version.byContract(version.byKey(inner), owner), hash)).toBe(1n)
})
