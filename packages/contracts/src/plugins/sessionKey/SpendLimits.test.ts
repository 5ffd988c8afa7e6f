import type { TestChain } from '@latchkey/testkit/chain'
import { createOperation, errors, handle, sessionKeyPlugin } from '@latchkey/testkit/contracts/modularAccounts'
import {
  allowAll,
  byOwner,
  type Call,
  createKeyTrials,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { type Address, decodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'

const [a, b] = ['0x000000000000000000000000000000000000a001', '0x000000000000000000000000000000000000b002'] as const
const token = (functionName: 'mint' | 'transfer' | 'approve', value: bigint): Call => ({
  target: demo,
  value: 0n,
  data: encodeFunctionData({ abi: demoAbi, functionName, args: [a, value] }),
})
const to = (target: Address, data: Hex = '0x', value = 0n): Call => ({ target, value, data })
const notPermitted = { name: 'PermissionsCheckFailed', args: [] }

let chain: TestChain
let trials: ReturnType<typeof createKeyTrials>
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  trials = createKeyTrials(chain)
})

const check: typeof trials.check = (...args) => trials.check(...args)
const refusal: typeof trials.refusal = (...args) => trials.refusal(...args)
const run: typeof trials.run = (...args) => trials.run(...args)
const info: typeof trials.info = (...args) => trials.info(...args)
const increaseTime = async (seconds: number) => {
  await chain.request('evm_increaseTime', [seconds])
  await chain.request('evm_mine')
}
const now = async (it: SessionAccount) => Number((await it.read.getBlock()).timestamp)

/** The maximum cost of an operation of `operationOf`, in wei. */
const cost = (3_000_000n + 2_000_000n + 50_000n) * 2_000_000_000n
const nonceKeyOf = (it: SessionAccount) => ({ nonceKey: BigInt(it.key.address) })

test('applies a limit of native token', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  // No limit means a limit of zero.
  expect(await refusal(it, [to(a, '0x', 1n)])).toEqual(notPermitted)
  expect(await run(it, [to(a)])).toBe('done')
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setNativeTokenSpendLimit', 10n, 0)])
  expect(await run(it, [to(a, '0x', 3n), to(b, '0x', 4n)])).toBe('done')
  expect(await refusal(it, [to(a, '0x', 4n)])).toEqual(notPermitted)
  const spent = { hasLimit: true, limit: 10n, limitUsed: 7n, refreshInterval: 0, lastUsedTime: 0 }
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toEqual(spent)
  expect(await run(it, [to(a, '0x', 3n)])).toBe('done')
  expect(await refusal(it, [to(a, '0x', 1n)])).toEqual(notPermitted)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setNativeTokenSpendLimit', 2n ** 256n - 1n, 0)])
  expect(await run(it, [to(a, '0x', 1_000n)])).toBe('done')
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toMatchObject({ hasLimit: false })
})

test('stops operations of one bundle that exceed the limit together', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 0)])
  const spending = [to(a, '0x', 6n)]
  const [first, second] = await handle(
    chain,
    await sessionOperation(chain, it, spending),
    await sessionOperation(chain, it, spending, { nonceKey: 1n }),
  )
  expect([first?.success, second?.success]).toEqual([true, false])
  expect(decodeErrorResult({ abi: errors, data: second?.reason ?? '0x' })).toMatchObject({
    errorName: 'NativeTokenSpendLimitExceeded',
    args: [it.address, it.key.address],
  })
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toMatchObject({ limitUsed: 6n })
})

test('applies a limit lowered earlier in the bundle', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 0)])
  const args = [it.key.address, [update('setNativeTokenSpendLimit', 9n, 0)]]
  const lowered = encodeFunctionData({ ...sessionKeyPlugin, functionName: 'updateKeyPermissions', args })
  const [first, second] = await handle(
    chain,
    await createOperation(chain, it, lowered),
    await sessionOperation(chain, it, [to(a, '0x', 10n)], nonceKeyOf(it)),
  )
  expect([first?.success, second?.success]).toEqual([true, false])
  const { errorName } = decodeErrorResult({ abi: errors, data: second?.reason ?? '0x' })
  expect(errorName).toBe('NativeTokenSpendLimitExceeded')
})

test('refuses everything while the limit is below the amount spent', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 0)])
  const set = (limit: bigint, interval: number) =>
    byOwner(it, 'updateKeyPermissions', it.key.address, [update('setNativeTokenSpendLimit', limit, interval)])
  expect(await run(it, [to(a, '0x', 8n)])).toBe('done')
  await set(7n, 0)
  expect(await refusal(it, [to(a)])).toEqual(notPermitted)
  await set(8n, 0)
  expect(await run(it, [to(a)])).toBe('done')
  await set(7n, 1_000)
  // The operation becomes valid with the next interval.
  expect(await check(it, [to(a)])).toBe(BigInt((await now(it)) + 1_000) << 208n)
  await increaseTime(1_001)
  expect(await run(it, [to(a)])).toBe('done')
  const lastUsedTime = await now(it)
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toMatchObject({ limitUsed: 0n, lastUsedTime })
})

const limits = async (it: SessionAccount) => [
  await info(it, 'getNativeTokenSpendLimitInfo'),
  await info(it, 'getERC20SpendLimitInfo', demo),
  ((await info(it, 'getGasSpendLimit')) as unknown[])[0],
]

test('keeps the amount spent when a limit is set again, until it is lifted', async () => {
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setNativeTokenSpendLimit', 1_000n, 0),
    update('setERC20SpendLimit', demo, 1_000n, 0),
    update('setGasSpendLimit', 2n * cost, 0),
  ])
  const fields = nonceKeyOf(it)
  const set = (...updates: Hex[]) => byOwner(it, 'updateKeyPermissions', it.key.address, updates)
  expect(await run(it, [to(a, '0x', 800n), token('approve', 800n)], fields)).toBe('done')
  await set(
    update('setNativeTokenSpendLimit', 1_000n, 500),
    update('setERC20SpendLimit', demo, 1_000n, 500),
    update('setGasSpendLimit', 3n * cost, 500),
  )
  const at = await now(it)
  expect(await limits(it)).toMatchObject([800n, 800n, cost].map((limitUsed) => ({ limitUsed, lastUsedTime: at })))
  // The interval starts again, so 800 must wait for its end.
  expect(await check(it, [to(a, '0x', 800n)], fields)).toBe(BigInt(at + 500) << 208n)
  expect(await run(it, [token('approve', 800n)], fields)).toMatchObject({ name: 'ERC20SpendLimitExceeded' })
  expect(await run(it, [to(a, '0x', 200n), token('approve', 200n)], fields)).toBe('done')

  const lifted = 2n ** 256n - 1n
  const each = (limit: bigint) => [
    update('setNativeTokenSpendLimit', limit, 0),
    update('setERC20SpendLimit', demo, limit, 0),
    update('setGasSpendLimit', limit, 0),
  ]
  await set(...each(lifted), ...each(1_000n))
  expect(await limits(it)).toMatchObject([0n, 0n, 0n].map((limitUsed) => ({ limitUsed })))
})

test('applies a limit of a token', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setERC20SpendLimit', demo, 10n, 0)])
  const mint = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [it.address, 100n] })
  await chain.client(1).transact({ to: demo, data: mint })
  const exceeded = { name: 'ERC20SpendLimitExceeded', args: [it.address, it.key.address, demo] }
  expect(await run(it, [token('transfer', 11n)])).toEqual(exceeded)
  expect(await run(it, [token('transfer', 4n), token('approve', 5n)])).toBe('done')
  expect(await run(it, [token('approve', 1n), token('transfer', 1n)])).toEqual(exceeded)
  expect(await info(it, 'getERC20SpendLimitInfo', demo)).toMatchObject({ hasLimit: true, limit: 10n, limitUsed: 9n })
  for (const call of [token('mint', 1n), to(demo)]) expect(await refusal(it, [call])).toEqual(notPermitted)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setERC20SpendLimit', demo, 2n ** 256n - 1n, 0)])
  expect(await run(it, [token('transfer', 90n), token('mint', 1n)])).toBe('done')
})

test('applies a limit of gas', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setGasSpendLimit', 2n * cost, 0)])
  expect(await refusal(it, [to(a)])).toEqual(notPermitted)
  expect(await refusal(it, [to(a)], { nonceKey: BigInt(it.owner.address) })).toEqual(notPermitted)
  expect(await run(it, [to(a)], nonceKeyOf(it))).toBe('done')
  expect(await refusal(it, [to(a)], { ...nonceKeyOf(it), preVerificationGas: 50_001n })).toEqual(notPermitted)
  expect(await run(it, [to(a)], nonceKeyOf(it))).toBe('done')
  expect(await refusal(it, [to(a)], nonceKeyOf(it))).toEqual(notPermitted)
  const used = { hasLimit: true, limit: 2n * cost, limitUsed: 2n * cost }
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([used, false])
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setGasSpendLimit', 2n ** 256n - 1n, 0)])
  expect(await run(it, [to(a)])).toBe('done')
})

test('counts three verifications for an operation with a paymaster', async () => {
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setGasSpendLimit', cost + 2n * 2_000_000n * 2_000_000_000n, 0),
  ])
  const fields = { ...nonceKeyOf(it), paymasterAndData: demo }
  expect(await check(it, [to(a)], fields)).toBe(0n)
  expect(await refusal(it, [to(a)], { ...fields, preVerificationGas: 50_001n })).toEqual(notPermitted)
})

test('lets anyone record the interval after a failed execution', async () => {
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setGasSpendLimit', cost, 1_000),
    update('setERC20SpendLimit', demo, 0n, 0),
  ])
  const fields = nonceKeyOf(it)
  await run(it, [to(a)], fields)
  await increaseTime(1_001)
  expect(await run(it, [token('approve', 1n)], fields)).toMatchObject({ name: 'ERC20SpendLimitExceeded' })
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ limitUsed: cost }, true])
  expect(await refusal(it, [to(a)], fields)).toEqual(notPermitted)
  const args = [it.address, it.key.address]
  const reset = { ...sessionKeyPlugin, functionName: 'resetSessionKeyGasLimitTimestamp', args }
  const byStranger = chain.connect(it.stranger.privateKey)
  const resetNow = () => byStranger.transact({ to: sessionKeyPlugin.address, data: encodeFunctionData(reset) })
  await resetNow()
  const at = await now(it)
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ limitUsed: cost, lastUsedTime: at }, false])
  // Has no effect, since repeated calls could otherwise postpone the end of the interval indefinitely.
  await increaseTime(100)
  await resetNow()
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ lastUsedTime: at }, false])
})
