import type { TestChain } from '@latchkey/testkit/chain'
import { type CallRule, changingFunctions, expectAccepted, expectRefused } from '@latchkey/testkit/contracts/callAs'
import {
  createLightAccount,
  createOperation,
  dummySignature,
  type LightAccountVersion,
  lightAccountVersions,
  type TestAccount,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { FixtureError } from '@latchkey/testkit/FixtureError'
import { type Address, encodeFunctionData, keccak256, toHex } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

/** Callers by EntryPoint version. LightAccount v2 (EntryPoint 0.7) lets an operation call any function directly. */
const callersOf = {
  '0.6': { execution: ['owner', 'entryPoint'], administration: ['owner', 'self'] },
  '0.7': { execution: ['owner', 'entryPoint', 'self'], administration: ['owner', 'entryPoint', 'self'] },
}

let chain: TestChain
/** The calls are simulated only, so all tests share these accounts. */
const accounts = new Map<LightAccountVersion, TestAccount>()
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  for (const version of lightAccountVersions) accounts.set(version, await createLightAccount(chain, version))
})

function accountOf(version: LightAccountVersion): TestAccount {
  const account = accounts.get(version)
  if (!account) throw new FixtureError(`There is no account of ${version.name}.`)
  return account
}

function rulesOf(it: TestAccount): Record<string, CallRule> {
  const { stranger, version } = it
  const { execution, administration } = callersOf[version.entryPointVersion]
  const validation = changingFunctions(version.abi).find(({ item }) => item.name === 'validateUserOp')
  const other = stranger.address
  return {
    'addDeposit()': { callers: ['owner', 'entryPoint', 'self', 'stranger'], args: [], value: 0n },
    'execute(address,uint256,bytes)': { callers: execution, args: [other, 1n, '0x'] },
    'executeBatch(address[],bytes[])': { callers: execution, args: [[other], ['0x']] },
    'executeBatch(address[],uint256[],bytes[])': { callers: execution, args: [[other], [1n], ['0x']] },
    'transferOwnership(address)': { callers: administration, args: [other] },
    'updateOwners(address[],address[])': { callers: administration, args: [[other], [it.owner.address]] },
    'upgradeTo(address)': { callers: administration, args: [version.implementation] },
    'upgradeToAndCall(address,bytes)': { callers: administration, args: [version.implementation, '0x'] },
    'withdrawDepositTo(address,uint256)': { callers: administration, args: [other, 0n] },
    [validation?.signature ?? '']: {
      callers: ['entryPoint'],
      args: [createOperation(it, version.byKey(dummySignature)), keccak256('0x'), 0n],
    },
    'initialize(address)': { callers: [], args: [other] },
    'initialize(address[])': { callers: [], args: [[other]] },
  }
}

function refusalOf(functionName: string, caller: Address): { name: string; args: unknown[] } {
  if (functionName === 'initialize') return { name: 'InvalidInitialization', args: [] }
  if (functionName === 'validateUserOp') return { name: 'account: not from EntryPoint', args: [] }
  return { name: 'NotAuthorized', args: [caller] }
}

const cases = lightAccountVersions.flatMap((version) =>
  changingFunctions(version.abi).map(({ signature, item }) => ({ name: version.name, signature, version, item })),
)

test.each(cases)('allows only the listed callers of $name $signature', async ({ version, signature, item }) => {
  const it = accountOf(version)
  const rule = rulesOf(it)[signature]
  if (!rule) return expect.fail(`no rule for ${signature}`)
  const callers = {
    stranger: it.stranger.address,
    owner: it.owner.address,
    entryPoint: version.entryPoint,
    self: it.address,
    factory: version.factory.address,
    otherEntryPoint: devAddresses.entryPoints[version.entryPointVersion === '0.6' ? '0.7.0' : '0.6.0'],
  }
  for (const [who, caller] of Object.entries(callers)) {
    const call = { read: it.read, address: it.address, abi: version.abi, item, caller }
    const refusal = refusalOf(item.name, caller)
    if (rule.callers.includes(who) || rule.callers.includes('stranger')) await expectAccepted(call, rule)
    else await expectRefused(call, rule, refusal)
  }
})

test.each(cases)(
  'refuses every caller on the implementation itself: $name $signature',
  async ({ version, signature, item }) => {
    const it = accountOf(version)
    const rule = rulesOf(it)[signature]
    if (!rule) return expect.fail(`no rule for ${signature}`)
    const address = version.implementation
    const notThroughProxy =
      version.entryPointVersion === '0.6' ? 'Function must be called through delegatecall' : 'UnauthorizedCallContext'
    for (const caller of [it.stranger.address, it.owner.address, version.factory.address]) {
      const call = { read: it.read, address, abi: version.abi, item, caller }
      const isUpgrade = item.name.startsWith('upgrade')
      const refusal = isUpgrade ? { name: notThroughProxy, args: [] } : refusalOf(item.name, caller)
      if (rule.callers.includes('stranger')) await expectAccepted(call, rule)
      else await expectRefused(call, rule, refusal)
    }
  },
)

test.each(lightAccountVersions)('accepts no signature on the implementation itself ($name)', async (version) => {
  const it = accountOf(version)
  const hash = keccak256(toHex('operation'))
  const signature = version.byKey(await it.owner.signMessage({ message: { raw: hash } }))
  const args = [createOperation(it, signature), hash, 0n]
  const call = { address: version.implementation, abi: version.abi, functionName: 'validateUserOp', args }
  const { result } = await it.read.simulateContract({ ...call, account: version.entryPoint })
  expect(result).toBe(1n)
})

test.each(lightAccountVersions)('refuses a call back from a called contract ($name)', async (version) => {
  const { abi } = version
  const it = accountOf(version)
  // This code returns all data that it receives.
  const mirror = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [mirror, '0x363d3d373d3d363d3d335af13d6000803e6018573d6000fd5b3d6000f3'])
  const rules = Object.entries(rulesOf(it)).filter(
    ([, { callers }]) => callers.includes('owner') && !callers.includes('stranger'),
  )
  const functions = changingFunctions(abi).filter(({ signature }) => rules.some(([name]) => name === signature))
  expect(functions.length).toBeGreaterThanOrEqual(6)
  for (const { signature, item } of functions) {
    const args = rulesOf(it)[signature]?.args ?? []
    const data = encodeFunctionData({ abi: [item], functionName: item.name, args })
    const caller = { ...it.account, account: it.owner.address }
    const call = it.read.simulateContract({ ...caller, functionName: 'execute', args: [mirror, 0n, data] })
    expect(await readRevert(call), signature).toEqual({ name: 'NotAuthorized', args: [mirror] })
  }
})
