import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  type LightAccountVersion,
  singleOwnerVersions,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, encodeFunctionData, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses

const each = test.each(singleOwnerVersions)

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const setUp = (version: LightAccountVersion) => createLightAccount(chain, version)

each('transfers ownership directly and by execute ($name)', async (version) => {
  const { abi } = version
  const { account, address, by, read, owner, stranger } = await setUp(version)
  const transfer = (to: Address) => encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] })
  const { blockNumber } = await by.transact({ to: address, data: transfer(stranger.address) })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(stranger.address)
  const events = { ...account, eventName: 'OwnershipTransferred', fromBlock: blockNumber }
  const [event] = await read.getContractEvents(events)
  expect(event?.args).toEqual({ previousOwner: owner.address, newOwner: stranger.address })

  const former = { ...account, functionName: 'execute', args: [demo, 0n, '0x'], account: owner.address }
  const refusal = { name: 'NotAuthorized', args: [owner.address] }
  expect(await readRevert(read.simulateContract(former))).toEqual(refusal)

  const back = encodeFunctionData({ abi, functionName: 'execute', args: [address, 0n, transfer(owner.address)] })
  await chain.connect(stranger.privateKey).transact({ to: address, data: back })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
})

each('refuses impossible owners ($name)', async (version) => {
  const { account, address, owner, read } = await setUp(version)
  for (const newOwner of [zeroAddress, address, owner.address]) {
    const args = [newOwner]
    const call = { ...account, functionName: 'transferOwnership', args, account: owner.address }
    expect(await readRevert(read.simulateContract(call))).toEqual({ name: 'InvalidOwner', args })
  }
})
