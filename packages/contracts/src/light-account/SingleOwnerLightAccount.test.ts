import { type Address, encodeFunctionData, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createLightAccount,
  deployImplementation,
  implementationSlot,
  type LightAccountVersion,
  lightAccountVersions,
} from '../../../../test/contracts/lightAccounts.ts'
import { revertOf } from '../../../../test/contracts/revertOf.ts'
import { startTestChain, type TestChain } from '../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses

const each = test.each(lightAccountVersions)

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

const setUp = (version: LightAccountVersion) => createLightAccount(chain, version)

each('default ($name)', async (version) => {
  const { account, owner, read } = await setUp(version)
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
  expect(await read.readContract({ ...account, functionName: 'entryPoint' })).toBe(version.entryPoint)
  expect(await read.readContract({ ...account, functionName: 'getNonce' })).toBe(0n)
})

each('error: initialize a second time, on a proxy and on the implementation ($name)', async (version) => {
  const { abi, entryPoint, implementation } = version
  const { account, owner, stranger, read } = await setUp(version)
  for (const caller of [owner.address, stranger.address, entryPoint]) {
    for (const address of [account.address, implementation]) {
      const call = read.simulateContract({
        address,
        abi,
        functionName: 'initialize',
        args: [stranger.address],
        account: caller,
      })
      expect((await revertOf(call)).name).toBe('InvalidInitialization')
    }
  }
})

each('behavior: ownership goes on, directly and by way of execute ($name)', async (version) => {
  const { abi } = version
  const { account, address, by, read, owner, stranger } = await setUp(version)
  const transfer = (to: Address) => encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] })
  const { blockNumber } = await by.transact({ to: address, data: transfer(stranger.address) })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(stranger.address)
  const [event] = await read.getContractEvents({
    ...account,
    eventName: 'OwnershipTransferred',
    fromBlock: blockNumber,
  })
  expect(event?.args).toEqual({ previousOwner: owner.address, newOwner: stranger.address })

  const former = read.simulateContract({
    ...account,
    functionName: 'execute',
    args: [demo, 0n, '0x'],
    account: owner.address,
  })
  expect(await revertOf(former)).toEqual({ name: 'NotAuthorized', args: [owner.address] })

  const back = encodeFunctionData({ abi, functionName: 'execute', args: [address, 0n, transfer(owner.address)] })
  await chain.clientOf(stranger.privateKey).transact({ to: address, data: back })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
})

each('error: owners that cannot be ($name)', async (version) => {
  const { account, address, owner, read } = await setUp(version)
  for (const newOwner of [zeroAddress, address, owner.address]) {
    const call = read.simulateContract({
      ...account,
      functionName: 'transferOwnership',
      args: [newOwner],
      account: owner.address,
    })
    expect(await revertOf(call)).toEqual({ name: 'InvalidOwner', args: [newOwner] })
  }
})

each(
  'behavior: the owner upgrades, the account keeps owner and balance, and may call on the way ($name)',
  async (version) => {
    const { abi, implementation } = version
    const { account, address, by, read, owner, stranger } = await setUp(version)
    const copy = await deployImplementation(chain, version)
    await by.transact({ to: address, data: encodeFunctionData({ abi, ...version.upgrade(copy) }) })
    expect(BigInt((await read.getStorageAt({ address, slot: implementationSlot })) ?? 0)).toBe(BigInt(copy))
    expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)

    const then = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [stranger.address] })
    const upgrade = encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [implementation, then] })
    const { blockNumber } = await by.transact({ to: address, data: upgrade })
    expect(BigInt((await read.getStorageAt({ address, slot: implementationSlot })) ?? 0)).toBe(BigInt(implementation))
    expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(stranger.address)
    expect(await read.getContractEvents({ ...account, eventName: 'Upgraded', fromBlock: blockNumber })).toHaveLength(1)
  },
)

each('error: an upgrade whose call fails changes nothing ($name)', async (version) => {
  const { abi } = version
  const { address, owner, read } = await setUp(version)
  const copy = await deployImplementation(chain, version)
  const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: [demo] })
  const call = read.simulateContract({
    address,
    abi,
    functionName: 'upgradeToAndCall',
    args: [copy, initialize],
    account: owner.address,
  })
  expect((await revertOf(call)).name).toBe('InvalidInitialization')
})
