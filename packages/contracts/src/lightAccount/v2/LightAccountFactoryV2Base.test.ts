import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { type CallRule, changingFunctions, expectAccepted, expectRefused } from '@latchkey/testkit/contracts/callAs'
import { lightAccountV2, multiOwnerLightAccountV2 } from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const entryPoint = devAddresses.entryPoints['0.7.0']

const keeper = devAccountOf.paymasterOwner
const versions = [lightAccountV2, multiOwnerLightAccountV2]
const each = test.each(versions.map(({ factory }) => factory))

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const byKeeper = () => chain.connect(keeper.privateKey)
const nobody = async () => toHex(BigInt((await chain.freshAccount()).address) ^ 1n, { size: 20 })

function rulesOf(other: Address): Record<string, CallRule> {
  const anyone = ['owner', 'stranger', 'entryPoint', 'self']
  return {
    'acceptOwnership()': { callers: [] },
    'addStake(uint32,uint256)': { callers: ['owner'], args: [1, 1n], value: 1n },
    'createAccount(address,uint256)': { callers: anyone, args: [other, 0n] },
    'createAccount(address[],uint256)': { callers: anyone, args: [[other], 0n] },
    'createAccountSingle(address,uint256)': { callers: anyone, args: [other, 0n] },
    'transferOwnership(address)': { callers: ['owner'], args: [other] },
    'unlockStake()': { callers: ['owner'] },
    'withdraw(address,address,uint256)': { callers: ['owner'], args: [other, zeroAddress, 0n] },
    'withdrawStake(address)': { callers: ['owner'], args: [other] },
  }
}

const cases = versions.flatMap(({ factory }) =>
  changingFunctions(factory.abi).map(({ signature, item }) => ({ name: factory.name, signature, factory, item })),
)

test.each(cases)('allows only the listed callers of $name $signature', async ({ factory, signature, item }) => {
  const stranger = (await chain.freshAccount()).address
  const rule = rulesOf(stranger)[signature]
  if (!rule) return expect.fail(`no rule for ${signature}`)
  const snapshot = await chain.request('evm_snapshot')
  const { read, transact } = byKeeper()
  const { abi, address } = factory
  // A stake must exist before it is unlocked, and be unlocked before it is withdrawn.
  const send = (functionName: string, args: unknown[] = [], value = 0n) =>
    transact({ to: address, data: encodeFunctionData({ abi, functionName, args }), value })
  if (/unlockStake|withdrawStake/.test(signature)) await send('addStake', [1, 1n], 1n)
  if (/withdrawStake/.test(signature)) {
    await send('unlockStake')
    await chain.request('evm_increaseTime', [2])
    await chain.request('evm_mine')
  }
  const callers = { stranger, owner: keeper.address, entryPoint, self: address }
  for (const [who, caller] of Object.entries(callers)) {
    const call = { read, address, abi, item, caller }
    const refusal = { name: 'OwnableUnauthorizedAccount', args: [caller] }
    if (rule.callers.includes(who)) await expectAccepted(call, rule)
    else await expectRefused(call, rule, refusal)
  }
  await chain.request('evm_revert', [snapshot])
})

each('refuses to be constructed without an owner or an EntryPoint 0.7 ($name)', async ({ abi, name }) => {
  const { bytecode } = readArtifact(name)
  const { read } = chain.client(1)
  const errorOf = async (owner: Address, point: Address) => {
    const data = encodeDeployData({ abi, bytecode, args: [owner, point] })
    return String(await read.call({ data }).catch((error: Error) => error))
  }
  const selector = (signature: string) => keccak256(toHex(signature)).slice(0, 10)
  expect(await errorOf(zeroAddress, entryPoint)).toContain(selector('OwnableInvalidOwner(address)'))
  for (const point of [zeroAddress, keeper.address, demo, devAddresses.entryPoints['0.6.0']])
    expect(await errorOf(keeper.address, point)).toContain(selector('InvalidEntryPoint(address)'))
})

each('lets the owner stake, and withdraw the stake after the delay ($name)', async ({ abi, address }) => {
  const by = byKeeper()
  const send = (functionName: string, args: unknown[] = [], value = 0n) =>
    by.transact({ to: address, data: encodeFunctionData({ abi, functionName, args }), value })
  const infoAbi = parseAbi([
    'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
    'function getDepositInfo(address account) view returns (DepositInfo info)',
  ])
  const info = () =>
    by.read.readContract({ address: entryPoint, abi: infoAbi, functionName: 'getDepositInfo', args: [address] })
  await send('addStake', [60, parseEther('2')], parseEther('2'))
  expect(await info()).toMatchObject({ staked: true, stake: parseEther('2'), unstakeDelaySec: 60 })
  await send('unlockStake')
  await chain.request('evm_increaseTime', [61])
  await chain.request('evm_mine')
  const target = await nobody()
  await send('withdrawStake', [target])
  expect(await info()).toMatchObject({ staked: false, stake: 0n })
  expect(await by.read.getBalance({ address: target })).toBe(parseEther('2'))
})

each('lets the owner withdraw ether and tokens ($name)', async ({ abi, address }) => {
  const by = byKeeper()
  const target = await nobody()
  await by.transact({ to: address, value: 5n })
  await by.transact(mint(address, 7n))
  for (const [token, amount] of [
    [zeroAddress, 5n],
    [demo, 7n],
  ] as const) {
    const args = [target, token, amount]
    await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'withdraw', args }) })
  }
  expect(await by.read.getBalance({ address: target })).toBe(5n)
  const balance = { address: demo, abi: demoAbi, functionName: 'balanceOf', args: [target] } as const
  expect(await by.read.readContract(balance)).toBe(7n)
})

each('refuses impossible withdrawals and failing tokens ($name)', async (factory) => {
  const { read } = chain.client(1)
  // The codes return 0, return one byte, and revert without data.
  const codes: Hex[] = ['0x60206000f3', '0x60016000f3', '0x60006000fd']
  const [no, short, reverting] = await Promise.all(
    codes.map(async (code) => {
      const { address } = await chain.freshAccount()
      await chain.request('anvil_setCode', [address, code])
      return address
    }),
  )
  const refusalOf = (functionName: string, args: unknown[]) =>
    readRevert(read.simulateContract({ ...factory, functionName, args, account: keeper.address }))
  const withdraw = (to: Address, token: Address = zeroAddress, amount = 1n) =>
    refusalOf('withdraw', [to, token, amount])
  const empty = (await chain.freshAccount()).address
  expect((await withdraw(zeroAddress)).name).toBe('ZeroAddressNotAllowed')
  expect((await withdraw(keeper.address, zeroAddress, parseEther('1000'))).name).toBe('TransferFailed')
  expect(await withdraw(keeper.address, empty)).toEqual({ name: 'AddressEmptyCode', args: [empty] })
  for (const token of [no, short])
    expect(await withdraw(keeper.address, token)).toEqual({ name: 'SafeERC20FailedOperation', args: [token] })
  expect((await withdraw(keeper.address, reverting)).name).toBe('FailedInnerCall')
  expect((await refusalOf('withdrawStake', [zeroAddress])).name).toBe('ZeroAddressNotAllowed')
})

each('transfers ownership in two steps and never renounces it ($name)', async ({ abi, address }) => {
  const next = await chain.freshAccount()
  const by = byKeeper()
  const owners = () =>
    Promise.all(['owner', 'pendingOwner'].map((functionName) => by.read.readContract({ address, abi, functionName })))
  const offer = (to: Address) => encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] })
  const accept = encodeFunctionData({ abi, functionName: 'acceptOwnership' })
  await by.transact({ to: address, data: offer(next.address) })
  expect(await owners()).toEqual([keeper.address, next.address])
  await chain.connect(next.privateKey).transact({ to: address, data: accept })
  expect(await owners()).toEqual([next.address, zeroAddress])

  const giveUp = (account: Address) =>
    readRevert(by.read.readContract({ address, abi, functionName: 'renounceOwnership', account }))
  expect((await giveUp(next.address)).name).toBe('InvalidAction')
  expect(await giveUp(keeper.address)).toEqual({ name: 'OwnableUnauthorizedAccount', args: [keeper.address] })
  await chain.connect(next.privateKey).transact({ to: address, data: offer(keeper.address) })
  await by.transact({ to: address, data: accept })
  expect(await owners()).toEqual([keeper.address, zeroAddress])
})
