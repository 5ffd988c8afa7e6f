import type { TestChain } from '@latchkey/testkit/chain'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, encodeFunctionData, maxUint256, parseAbi, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const abi = parseAbi([
  'error InsufficientAllowance(address owner, address spender, uint256 allowance, uint256 needed)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
  'error ZeroAddress()',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
])
const address = devAddresses.demo
const demo = { address, abi } as const

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

test('lets anyone mint and holders transfer', async () => {
  const [one, two] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(one.privateKey)
  const supply = await by.read.readContract({ ...demo, functionName: 'totalSupply' })
  await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'mint', args: [one.address, 10n] }) })
  const sent = encodeFunctionData({ abi, functionName: 'transfer', args: [two.address, 4n] })
  const { blockNumber } = await by.transact({ to: address, data: sent })
  const balance = (owner: Address) => by.read.readContract({ ...demo, functionName: 'balanceOf', args: [owner] })
  expect(await balance(one.address)).toBe(6n)
  expect(await balance(two.address)).toBe(4n)
  expect(await by.read.readContract({ ...demo, functionName: 'totalSupply' })).toBe(supply + 10n)
  const [event] = await by.read.getContractEvents({ ...demo, eventName: 'Transfer', fromBlock: blockNumber })
  expect(event?.args).toEqual({ from: one.address, to: two.address, value: 4n })
  // A transfer to oneself changes nothing.
  const toSelf = encodeFunctionData({ abi, functionName: 'transfer', args: [one.address, 6n] })
  await by.transact({ to: address, data: toSelf })
  expect(await balance(one.address)).toBe(6n)
})

test('uses up an allowance, except the highest one', async () => {
  const [one, two] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(one.privateKey)
  const spender = chain.connect(two.privateKey)
  const approve = (value: bigint) =>
    by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'approve', args: [two.address, value] }) })
  const take = encodeFunctionData({ abi, functionName: 'transferFrom', args: [one.address, two.address, 3n] })
  const allowance = () => by.read.readContract({ ...demo, functionName: 'allowance', args: [one.address, two.address] })
  await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'mint', args: [one.address, 10n] }) })
  await approve(5n)
  await spender.transact({ to: address, data: take })
  expect(await allowance()).toBe(2n)
  await approve(maxUint256)
  await spender.transact({ to: address, data: take })
  expect(await allowance()).toBe(maxUint256)
  expect(await by.read.readContract({ ...demo, functionName: 'balanceOf', args: [two.address] })).toBe(6n)
})

test('refuses missing balance, missing allowance and the zero address', async () => {
  const [one, two] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const { read } = chain.client(1)
  const caller = { ...demo, account: one.address } as const
  const [poor, thief, lost, minted] = await Promise.all(
    [
      read.simulateContract({ ...caller, functionName: 'transfer', args: [two.address, 1n] }),
      read.simulateContract({ ...caller, functionName: 'transferFrom', args: [two.address, one.address, 1n] }),
      read.simulateContract({ ...caller, functionName: 'transfer', args: [zeroAddress, 0n] }),
      read.simulateContract({ ...caller, functionName: 'mint', args: [zeroAddress, 1n] }),
    ].map(readRevert),
  )
  expect(poor).toEqual({ name: 'InsufficientBalance', args: [one.address, 0n, 1n] })
  expect(thief).toEqual({ name: 'InsufficientAllowance', args: [two.address, one.address, 0n, 1n] })
  expect(lost?.name).toBe('ZeroAddress')
  expect(minted?.name).toBe('ZeroAddress')
})
