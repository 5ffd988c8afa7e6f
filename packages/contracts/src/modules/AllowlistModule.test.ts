import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  call,
  createOperation,
  createSemiModularAccount,
  execute,
  forever,
  handle,
  type ModularV2TestAccount,
  modules,
  preHook,
  runtimeCall,
  toConfig,
  validate,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { allowlistModuleAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { type AllowlistInput, createSessionKeyV2, toAllowlistInput } from '@latchkey/testkit/contracts/sessionKeysV2'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'
const address = modules.AllowlistModule
const abi = allowlistModuleAbi
const tokenAbi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
])
const token = (functionName: 'transfer' | 'approve', amount: bigint, to: Address = nobody) =>
  encodeFunctionData({ abi: tokenAbi, functionName, args: [to, amount] })
const transfer = '0xa9059cbb'
const approve = '0x095ea7b3'

let chain: TestChain
let it: ModularV2TestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})
test.beforeEach(async () => {
  it = await createSemiModularAccount(chain)
})

const inputs = getAbiItem({ abi, name: 'updateAllowlist' })
const install = (entityId: number, list: readonly AllowlistInput[]) => {
  if (inputs?.type !== 'function') throw new TypeError()
  return encodeAbiParameters(inputs.inputs, [entityId, list.map(toAllowlistInput)])
}
const allow = (...list: AllowlistInput[]) => concat([toConfig(address, 7, validationHook), install(7, list)])
const limit = (...list: AllowlistInput[]) => concat([toConfig(address, 8, preHook), install(8, list)])
const batch = (...calls: { target: Address; value?: bigint; data?: Hex }[]) =>
  call(
    'executeBatch',
    calls.map((each) => ({ value: 0n, data: '0x', ...each })),
  )
const asOwner = async (functionName: string, ...args: unknown[]) =>
  handle(chain, await createOperation(chain, it, execute(address, 0n, encodeFunctionData({ abi, functionName, args }))))
const left = (of: Address = demo, entityId = 8) =>
  it.read.readContract({ address, abi, functionName: 'erc20SpendLimits', args: [entityId, of, it.address] })

test('has the published ABI', () => {
  expect(compareAbis(readArtifact('AllowlistModule').abi, allowlistModuleAbi)).toEqual({ missing: [], extra: [] })
})

type Case = [name: string, list: AllowlistInput[], callData: Hex, refusal?: string]
const cases: Case[] = [
  ['a listed address', [{ target: nobody }], execute(nobody, 1n, '0xdeadbeef')],
  ['another address', [{ target: nobody }], execute(demo), 'AddressNotAllowed'],
  ['nothing listed', [], execute(nobody), 'AddressNotAllowed'],
  ['a listed selector', [{ target: nobody, selectors: [transfer] }], execute(nobody, 0n, `${transfer}00`)],
  ['another selector', [{ target: nobody, selectors: [transfer] }], execute(nobody, 0n, approve), 'SelectorNotAllowed'],
  ['no selector', [{ target: nobody, selectors: [transfer] }], execute(nobody, 1n), 'NoSelectorSpecified'],
  [
    'half a selector',
    [{ target: nobody, selectors: [transfer] }],
    execute(nobody, 0n, '0xa9059c'),
    'NoSelectorSpecified',
  ],
  ['a selector listed for all', [{ target: zeroAddress, selectors: [transfer] }], execute(demo, 0n, transfer)],
  [
    'another than that',
    [{ target: zeroAddress, selectors: [transfer] }],
    execute(demo, 0n, approve),
    'AddressNotAllowed',
  ],
  [
    'no selector but one for all',
    [{ target: zeroAddress, selectors: [transfer] }],
    execute(zeroAddress),
    'AddressNotAllowed',
  ],
  ['a batch of listed calls', [{ target: nobody }, { target: demo }], batch({ target: nobody }, { target: demo })],
  ['a batch with another', [{ target: nobody }], batch({ target: nobody }, { target: demo }), 'AddressNotAllowed'],
  ['an empty batch', [], batch()],
]

test.each(cases)('judges %s', async (_, list, callData, refusal) => {
  const { sign, signInContext, key } = await createSessionKeyV2(chain, it, [allow(...list)])
  for (const operation of [await sign(callData), await signInContext(callData)]) {
    if (refusal) expect(await readRevert(validate(chain, it, operation))).toEqual({ name: refusal, args: [] })
    else expect(await validate(chain, it, operation)).toBe(forever)
  }
  // The same rule applies to a direct call by the key, regardless of the call's result.
  const args = [callData, '0x0000000005ff']
  const request = { ...it.account, functionName: 'executeWithRuntimeValidation', args, account: key.address }
  const seen = await readRevert(it.read.simulateContract(request)).then(
    ({ name }) => name,
    () => undefined,
  )
  const refusals = ['AddressNotAllowed', 'SelectorNotAllowed', 'NoSelectorSpecified']
  expect(refusals.find((name) => name === seen)).toBe(refusal)
})

test('does not let a batch reach the account itself unless it is listed', async () => {
  const { sign } = await createSessionKeyV2(chain, it, [allow({ target: nobody })], {
    selectors: ['0x34fcd5be', '0x5998db5c'],
  })
  const create = call('performCreate', 0n, '0x', false, `0x${'00'.repeat(32)}`)
  const operation = await sign(batch({ target: it.address, data: create }))
  expect((await readRevert(validate(chain, it, operation))).name).toBe('AddressNotAllowed')
})

test('counts transfers and approvals of a limited token', async () => {
  const mint = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [it.address, 1000n] })
  await handle(chain, await createOperation(chain, it, execute(demo, 0n, mint)))
  const { signInContext, key } = await createSessionKeyV2(chain, it, [
    limit({ target: demo, erc20SpendLimit: 100n }),
    allow({ target: demo, selectors: [transfer, approve] }),
  ])
  const run = async (callData: Hex) => (await handle(chain, await signInContext(callData)))[0]
  const one = (data: Hex) => execute(demo, 0n, data)
  expect(await run(one(token('transfer', 30n)))).toMatchObject({ success: true })
  expect(await run(one(token('approve', 20n)))).toMatchObject({ success: true })
  expect(await left()).toBe(50n)
  const exceeded = { success: false, reason: '0xa55ac877' }
  expect(await run(one(token('transfer', 51n)))).toEqual(exceeded)
  const both = [
    { target: demo, data: token('transfer', 26n) },
    { target: demo, data: token('approve', 25n) },
  ] as const
  expect(await run(batch(...both))).toEqual(exceeded)
  expect(await left()).toBe(50n)
  const runtime = { account: key.address, to: it.address, data: runtimeCall(one(token('transfer', 51n)), 5, 0) }
  await expect(it.read.call(runtime)).rejects.toThrow('0xa55ac877')
  await asOwner('updateLimits', 8, demo, true, 1n)
  expect(await run(one(token('transfer', 2n)))).toEqual(exceeded)
  expect(await run(one(token('transfer', 1n)))).toMatchObject({ success: true })
  await asOwner('updateLimits', 8, demo, false, 0n)
  expect(await run(one(token('transfer', 2n)))).toMatchObject({ success: true })
})

test('lets a key call nothing else on a limited token', async () => {
  const { signInContext } = await createSessionKeyV2(chain, it, [limit({ target: demo, erc20SpendLimit: 100n })])
  const run = async (data: Hex) => (await handle(chain, await signInContext(execute(demo, 0n, data))))[0]?.reason
  const from = encodeFunctionData({ abi: tokenAbi, functionName: 'transferFrom', args: [it.address, nobody, 1n] })
  expect(await run(from)).toMatch(/^0xf61c9d5223b872dd/)
  expect(await run('0x')).toMatch(/^0xf61c9d52/)
  expect(await run(`${transfer}${'00'.repeat(63)}`)).toBe('0xca0ad260')
  const operation = await signInContext(execute(nobody, 1n))
  expect(await handle(chain, operation)).toMatchObject([{ success: true }])
})

test('is changed by the account alone, with events', async () => {
  await createSessionKeyV2(chain, it, [allow({ target: nobody, selectors: [transfer] })])
  const from = (await it.read.getBlockNumber()) + 1n
  const entry = [
    { target: demo, hasSelectorAllowlist: true, hasERC20SpendLimit: true, erc20SpendLimit: 5n, selectors: [approve] },
  ]
  await asOwner('updateAllowlist', 7, entry)
  await asOwner('deleteAllowlist', 7, entry)
  const logs = await it.read.getLogs({ address, fromBlock: from })
  const of = { entityId: 7, account: it.address }
  const pair = concat([demo.toLowerCase() as Hex, approve])
  const yes = { allowed: true, hasSelectorAllowlist: true, hasERC20SpendLimit: true }
  const no = { allowed: false, hasSelectorAllowlist: false, hasERC20SpendLimit: false }
  expect(parseEventLogs({ abi, logs }).map(({ eventName, args }) => [eventName, args])).toEqual([
    ['ERC20SpendLimitUpdated', { ...of, token: demo, newLimit: 5n }],
    ['AddressAllowlistUpdated', { ...of, target: demo, entry: yes }],
    ['SelectorAllowlistUpdated', { ...of, targetAndSelector: pair, allowed: true }],
    ['ERC20SpendLimitUpdated', { ...of, token: demo, newLimit: 0n }],
    ['AddressAllowlistUpdated', { ...of, target: demo, entry: no }],
    ['SelectorAllowlistUpdated', { ...of, targetAndSelector: pair, allowed: false }],
  ])
  const read = (functionName: string, ...args: unknown[]) => it.read.readContract({ address, abi, functionName, args })
  await it.by.transact({
    to: address,
    data: encodeFunctionData({ abi, functionName: 'setAddressAllowlist', args: [7, demo, true, false, false] }),
  })
  expect(await read('addressAllowlist', 7, demo, it.address)).toEqual([false, false, false])
  expect(await read('addressAllowlist', 7, nobody, it.address)).toEqual([true, true, false])
  expect(await read('selectorAllowlist', 7, transfer, nobody, it.address)).toBe(true)
  expect(await read('moduleId')).toBe('alchemy.allowlist-module.1.0.0')
})
