import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { changingFunctions, expectAccepted, expectRefused } from '@latchkey/testkit/contracts/callAs'
import { createPaymaster, type PaymasterVersion, paymasterVersions } from '@latchkey/testkit/contracts/paymasters'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { encodeDeployData, encodeFunctionData, parseAbi, parseEther, zeroAddress } from 'viem'
import { expect } from 'vitest'

const each = test.each(paymasterVersions)
const entryPointAbi = parseAbi([
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])
const day = 86_400

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function setUp(version: PaymasterVersion) {
  const paymaster = await createPaymaster(chain, version)
  const { address, abi, read } = paymaster
  const call = (functionName: string, args: readonly unknown[] = [], value = 0n) => ({
    to: address,
    data: encodeFunctionData({ abi, functionName, args }),
    value,
  })
  return {
    ...paymaster,
    call,
    readMember: (functionName: string) => read.readContract({ address, abi, functionName }),
    readInfo: () =>
      read.readContract({
        address: version.entryPoint,
        abi: entryPointAbi,
        functionName: 'getDepositInfo',
        args: [address],
      }),
    refusal: (functionName: string, args: readonly unknown[], account = paymaster.owner.address) =>
      readRevert(read.simulateContract({ address, abi, functionName, args, account })),
  }
}

each('starts with its owner, signer and entry point ($name)', async (version) => {
  const it = await setUp(version)
  expect(await it.readMember('owner')).toBe(it.owner.address)
  expect(await it.readMember('signer')).toBe(it.signer.address)
  expect(await it.readMember('nextSigner')).toBe(zeroAddress)
  expect(await it.readMember('entryPoint')).toBe(version.entryPoint)
  expect(await it.readMember('getDeposit')).toBe(0n)
})

each('refuses strangers in every function that changes something ($name)', async (version) => {
  const it = await setUp(version)
  const stranger = (await chain.freshAccount()).address
  const to = stranger
  const rules = {
    'addStake(uint32)': { args: [day], value: 1n },
    'finishSignerRotation()': { args: [] },
    'startSignerRotation(address)': { args: [to] },
    'transferOwnership(address)': { args: [to] },
    'unlockStake()': { args: [] },
    'withdrawStake(address)': { args: [to] },
    'withdrawTo(address,uint256)': { args: [to, 1n] },
  }
  await it.client.transact(it.call('addStake', [1], parseEther('1')))
  await it.client.transact(it.call('deposit', [], parseEther('1')))
  await it.client.transact(it.call('startSignerRotation', [to]))
  const known = [...Object.keys(rules), 'acceptOwnership()', 'deposit()']
  const signatures = changingFunctions(it.abi).map(({ signature }) => signature)
  expect(signatures.sort()).toEqual(known.sort())
  for (const { signature, item } of changingFunctions(it.abi)) {
    if (!(signature in rules)) continue
    const rule = { callers: ['owner'], ...rules[signature as keyof typeof rules] }
    const refused = { name: 'OwnableUnauthorizedAccount', args: [stranger] }
    await expectRefused({ ...it, item, caller: stranger }, rule, refused)
    // A signer is not an owner.
    const bySigner = { name: 'OwnableUnauthorizedAccount', args: [it.signer.address] }
    await expectRefused({ ...it, item, caller: it.signer.address }, rule, bySigner)
    if (signature !== 'withdrawStake(address)') await expectAccepted({ ...it, item, caller: it.owner.address }, rule)
  }
})

each('accepts deposits of anyone and withdrawals of the owner ($name)', async (version) => {
  const it = await setUp(version)
  const stranger = await chain.freshAccount()
  await chain.connect(stranger.privateKey).transact(it.call('deposit', [], parseEther('3')))
  expect(await it.readMember('getDeposit')).toBe(parseEther('3'))
  const { address } = await chain.freshAccount()
  const before = await it.read.getBalance({ address })
  await it.client.transact(it.call('withdrawTo', [address, parseEther('2')]))
  expect((await it.read.getBalance({ address })) - before).toBe(parseEther('2'))
  expect((await it.readInfo()).deposit).toBe(parseEther('1'))
  expect(await it.refusal('withdrawTo', [zeroAddress, 1n])).toEqual({ name: 'ZeroAddressNotAllowed', args: [] })
})

each('refuses ether without a call ($name)', async (version) => {
  const it = await setUp(version)
  await expect(it.client.read.call({ to: it.address, value: 1n, account: it.owner.address })).rejects.toThrow()
})

each('locks, unlocks and withdraws a stake after its delay ($name)', async (version) => {
  const it = await setUp(version)
  await it.client.transact(it.call('addStake', [day], parseEther('5')))
  expect(await it.readInfo()).toMatchObject({ staked: true, stake: parseEther('5'), unstakeDelaySec: day })
  await it.client.transact(it.call('unlockStake'))
  const to = (await chain.freshAccount()).address
  await expect(it.refusal('withdrawStake', [to])).resolves.toEqual(
    // EntryPoint 0.9: WithdrawalNotDue(uint256,uint256).
    expect.objectContaining({ name: expect.stringMatching(/not due|0x561d3312/) }),
  )
  await chain.request('evm_increaseTime', [day + 1])
  await chain.request('evm_mine')
  const before = await it.read.getBalance({ address: to })
  await it.client.transact(it.call('withdrawStake', [to]))
  expect((await it.read.getBalance({ address: to })) - before).toBe(parseEther('5'))
  expect(await it.refusal('withdrawStake', [zeroAddress])).toEqual({ name: 'ZeroAddressNotAllowed', args: [] })
})

each('transfers ownership in two steps and never renounces it ($name)', async (version) => {
  const it = await setUp(version)
  const next = await chain.freshAccount()
  await it.client.transact(it.call('transferOwnership', [next.address]))
  expect(await it.readMember('owner')).toBe(it.owner.address)
  const refused = { name: 'OwnableUnauthorizedAccount', args: [it.owner.address] }
  expect(await it.refusal('acceptOwnership', [])).toEqual(refused)
  await chain.connect(next.privateKey).transact(it.call('acceptOwnership'))
  expect(await it.readMember('owner')).toBe(next.address)
  expect(await it.refusal('startSignerRotation', [next.address])).toMatchObject({ name: 'OwnableUnauthorizedAccount' })
  expect(await it.refusal('renounceOwnership', [], next.address)).toEqual({ name: 'InvalidAction', args: [] })
})

each('starts, cancels and finishes a rotation of signers ($name)', async (version) => {
  const it = await setUp(version)
  const next = (await chain.freshAccount()).address
  const nothing = { name: 'InvalidSigner', args: [zeroAddress] }
  expect(await it.refusal('finishSignerRotation', [])).toEqual(nothing)
  expect(await it.refusal('startSignerRotation', [it.signer.address])).toMatchObject({ name: 'InvalidSigner' })

  await it.client.transact(it.call('startSignerRotation', [next]))
  expect([await it.readMember('signer'), await it.readMember('nextSigner')]).toEqual([it.signer.address, next])
  await it.client.transact(it.call('startSignerRotation', [zeroAddress]))
  expect(await it.readMember('nextSigner')).toBe(zeroAddress)
  expect(await it.refusal('finishSignerRotation', [])).toEqual(nothing)

  await it.client.transact(it.call('startSignerRotation', [next]))
  await it.client.transact(it.call('finishSignerRotation'))
  expect([await it.readMember('signer'), await it.readMember('nextSigner')]).toEqual([next, zeroAddress])
})

each('refuses to be constructed without owner, signer or entry point ($name)', async ({ name, entryPoint }) => {
  const { abi, bytecode } = readArtifact(name)
  const [one, other] = [await chain.freshAccount(), await chain.freshAccount()].map(({ address }) => address)
  for (const args of [
    [zeroAddress, entryPoint, other],
    [one, entryPoint, zeroAddress],
    [one, other, other],
  ]) {
    const data = encodeDeployData({ abi, bytecode, args })
    await expect(chain.client(1).read.call({ data })).rejects.toThrow()
  }
  const good = encodeDeployData({ abi, bytecode, args: [one, entryPoint, other] })
  await expect(chain.client(1).read.call({ data: good })).resolves.toBeDefined()
})
