import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { anyAddress } from '@latchkey/testkit/contracts/arbitraryArguments'
import {
  errors,
  handle,
  type OperationFields,
  sessionKeyPlugin,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  allowAll,
  byOwner,
  type Call,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import fc from 'fast-check'
import {
  type Address,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  toHex,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

const [a, b] = ['0x000000000000000000000000000000000000a001', '0x000000000000000000000000000000000000b002'] as const
const f = '0x11111111'
const g = '0x22222222'
const token = (functionName: 'mint' | 'transfer' | 'approve', value: bigint): Call => ({
  target: demo,
  value: 0n,
  data: encodeFunctionData({ abi: demoAbi, functionName, args: [a, value] }),
})
const to = (target: Address, data: Hex = '0x', value = 0n): Call => ({ target, value, data })
const textOf = (name: string) => ({ name: `Session key: ${name}`, args: [] })
const noTarget = textOf('the target is not allowed')
const noFunction = textOf('the function is not allowed')

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

const check = async (it: SessionAccount, calls: readonly Call[], fields?: OperationFields) =>
  validate(chain, it, await sessionOperation(chain, it, calls, fields))
const refusal = (it: SessionAccount, calls: readonly Call[], fields?: OperationFields) =>
  readRevert(check(it, calls, fields))
/** Executes; what the execution reverted with, if it did. */
async function run(it: SessionAccount, calls: readonly Call[], fields?: OperationFields) {
  const [result] = await handle(chain, await sessionOperation(chain, it, calls, fields))
  if (result?.success) return 'done'
  const { errorName, args } = decodeErrorResult({ abi: errors, data: result?.reason ?? '0x' })
  return { name: errorName, args }
}
const info = (it: SessionAccount, functionName: string, ...args: readonly unknown[]) =>
  it.read.readContract({ ...sessionKeyPlugin, functionName, args: [it.address, it.key.address, ...args] })
const increaseTime = async (seconds: number) => {
  await chain.request('evm_increaseTime', [seconds])
  await chain.request('evm_mine')
}
const now = async (it: SessionAccount) => Number((await it.read.getBlock()).timestamp)

test('default', async () => {
  const it = await createSessionAccount(chain, [])
  expect(await refusal(it, [to(a)])).toEqual(noTarget)
  expect(await refusal(it, [])).toEqual({ name: 'InvalidAction', args: [] })
})

test('param: setAccessListType', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  expect(await check(it, [to(a), to(b, f)])).toBe(0n)
  expect(await info(it, 'getAccessControlType')).toBe(2)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setAccessListType', 1)])
  expect(await check(it, [to(a)])).toBe(0n)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setAccessListType', 0)])
  expect(await refusal(it, [to(a)])).toEqual(noTarget)
})

test('param: the list of what is allowed', async () => {
  const it = await createSessionAccount(chain, [
    update('updateAccessListAddressEntry', a, true, false),
    update('updateAccessListAddressEntry', b, true, true),
    update('updateAccessListFunctionEntry', b, f, true),
    update('updateAccessListFunctionEntry', b, '0x33330000', true),
    // Counts for nothing: its contract is not on the list.
    update('updateAccessListFunctionEntry', demo, f, true),
  ])
  for (const calls of [[to(a)], [to(a, f), to(a, g)], [to(b, f)], [to(b, `${f}1234`), to(a)]])
    expect(await check(it, calls)).toBe(0n)
  expect(await refusal(it, [to(demo, f)])).toEqual(noTarget)
  for (const data of ['0x', g, '0x111111', '0x3333', '0x333300'] as const)
    expect(await refusal(it, [to(b, data)])).toEqual(noFunction)
  // One bad call spoils all.
  expect(await refusal(it, [to(a), to(b, f), to(demo)])).toEqual(noTarget)
  expect(await info(it, 'getAccessControlEntry', b)).toEqual([true, true])
  expect(await info(it, 'isSelectorOnAccessControlList', b, f)).toBe(true)
  expect(await info(it, 'isSelectorOnAccessControlList', b, g)).toBe(false)

  await byOwner(it, 'updateKeyPermissions', it.key.address, [
    update('updateAccessListAddressEntry', a, false, false),
    update('updateAccessListFunctionEntry', b, f, false),
  ])
  expect(await refusal(it, [to(a)])).toEqual(noTarget)
  expect(await refusal(it, [to(b, f)])).toEqual(noFunction)
  // No data at all stand for 0x00000000: plain transfers can be listed.
  await byOwner(it, 'updateKeyPermissions', it.key.address, [
    update('updateAccessListFunctionEntry', b, '0x00000000', true),
  ])
  expect(await check(it, [to(b)])).toBe(0n)
  expect(await refusal(it, [to(b, '0x00')])).toEqual(noFunction)
})

test('param: the list of what is denied', async () => {
  const it = await createSessionAccount(chain, [
    update('setAccessListType', 1),
    update('updateAccessListAddressEntry', a, true, false),
    update('updateAccessListAddressEntry', b, true, true),
    update('updateAccessListFunctionEntry', b, f, true),
  ])
  for (const calls of [[to(demo)], [to(b, g)], [to(b)]]) expect(await check(it, calls)).toBe(0n)
  expect(await refusal(it, [to(a)])).toEqual(noTarget)
  expect(await refusal(it, [to(a, g)])).toEqual(noTarget)
  for (const data of [f, '0x11'] as const) expect(await refusal(it, [to(b, data)])).toEqual(noFunction)
})

test('behavior: whatever is on which list, a call is allowed exactly when the list says so', async () => {
  const entry = fc.record({ onList: fc.boolean(), selectors: fc.boolean(), listed: fc.boolean() })
  const it = await createSessionAccount(chain, [])
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1, 2),
      anyAddress,
      entry,
      async (type, target, { onList, selectors, listed }) => {
        await byOwner(it, 'updateKeyPermissions', it.key.address, [
          update('setAccessListType', type),
          update('updateAccessListAddressEntry', target, onList, selectors),
          update('updateAccessListFunctionEntry', target, f, listed),
        ])
        const isOnList = onList && (!selectors || listed)
        const isAllowed = type === 2 || isOnList === (type === 0)
        const expected = onList && selectors ? noFunction : noTarget
        if (isAllowed) expect(await check(it, [to(target, f)])).toBe(0n)
        else expect(await refusal(it, [to(target, f)])).toEqual(expected)
      },
    ),
    { numRuns: 25 },
  )
})

test('param: updateTimeRange', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  const start = await now(it)
  const range = (from: number, until: number) =>
    byOwner(it, 'updateKeyPermissions', it.key.address, [update('updateTimeRange', from, until)])
  await range(5, 7)
  expect(await info(it, 'getKeyTimeRange')).toEqual([5, 7])
  expect(await check(it, [to(a)])).toBe((5n << 208n) | (7n << 160n))
  const handled = async () => handle(chain, await sessionOperation(chain, it, [to(a)]))
  for (const [from, until] of [
    [0, start - 10],
    [start + 10_000, 0],
  ] as const) {
    await range(from, until)
    expect((await readRevert(handled())).args).toEqual([0n, 'AA22 expired or not due'])
  }
  await range(start - 10, start + 10_000)
  expect(await handled()).toMatchObject([{ success: true }])
})

test('param: setNativeTokenSpendLimit', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  const exceeded = { name: 'NativeTokenSpendLimitExceeded', args: [it.address, it.key.address] }
  // No limit set is a limit of nothing.
  expect(await run(it, [to(a, '0x', 1n)])).toEqual(exceeded)
  expect(await run(it, [to(a)])).toBe('done')
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setNativeTokenSpendLimit', 10n, 0)])
  expect(await run(it, [to(a, '0x', 3n), to(b, '0x', 4n)])).toBe('done')
  expect(await run(it, [to(a, '0x', 4n)])).toEqual(exceeded)
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toEqual({
    hasLimit: true,
    limit: 10n,
    limitUsed: 7n,
    refreshInterval: 0,
    lastUsedTime: 0,
  })
  expect(await run(it, [to(a, '0x', 3n)])).toBe('done')
  expect(await run(it, [to(a, '0x', 1n)])).toEqual(exceeded)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setNativeTokenSpendLimit', 2n ** 256n - 1n, 0)])
  expect(await run(it, [to(a, '0x', 1_000n)])).toBe('done')
  expect(await info(it, 'getNativeTokenSpendLimitInfo')).toMatchObject({ hasLimit: false })
})

test('param: refreshInterval of the native limit', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 1_000)])
  const exceeded = { name: 'NativeTokenSpendLimitExceeded', args: [it.address, it.key.address] }
  expect(await run(it, [to(a, '0x', 10n)])).toBe('done')
  expect(await run(it, [to(a, '0x', 1n)])).toEqual(exceeded)
  await increaseTime(1_001)
  expect(await run(it, [to(a, '0x', 11n)])).toEqual(exceeded)
  expect(await run(it, [to(a, '0x', 6n)])).toBe('done')
  expect(await run(it, [to(a, '0x', 5n)])).toEqual(exceeded)
  expect(await run(it, [to(a, '0x', 4n)])).toBe('done')
})

test('param: setERC20SpendLimit', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setERC20SpendLimit', demo, 10n, 0)])
  await chain
    .client(1)
    .transact({ to: demo, data: encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [it.address, 100n] }) })
  const exceeded = { name: 'ERC20SpendLimitExceeded', args: [it.address, it.key.address, demo] }
  expect(await run(it, [token('transfer', 11n)])).toEqual(exceeded)
  expect(await run(it, [token('transfer', 4n), token('approve', 5n)])).toBe('done')
  expect(await run(it, [token('approve', 1n), token('transfer', 1n)])).toEqual(exceeded)
  expect(await info(it, 'getERC20SpendLimitInfo', demo)).toMatchObject({ hasLimit: true, limit: 10n, limitUsed: 9n })
  const only = textOf('a limited token can only be transferred or approved')
  const cut = token('transfer', 1n).data.slice(0, -2) as Hex
  for (const call of [token('mint', 1n), to(demo), to(demo, cut), to(demo, '0xa9059cbb')])
    expect(await refusal(it, [call])).toEqual(only)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setERC20SpendLimit', demo, 2n ** 256n - 1n, 0)])
  expect(await run(it, [token('transfer', 90n), token('mint', 1n)])).toBe('done')
})

test('param: refreshInterval of a token’s limit', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setERC20SpendLimit', demo, 10n, 500)])
  const exceeded = { name: 'ERC20SpendLimitExceeded', args: [it.address, it.key.address, demo] }
  expect(await run(it, [token('approve', 10n)])).toBe('done')
  expect(await run(it, [token('approve', 1n)])).toEqual(exceeded)
  await increaseTime(501)
  expect(await run(it, [token('approve', 10n)])).toBe('done')
  expect(await run(it, [token('approve', 1n)])).toEqual(exceeded)
})

test('behavior: never more is spent than the limit, however it is cut up', async () => {
  const limit = 1_000n
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.bigInt({ min: 0n, max: 500n }), { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
      async (rounds) => {
        const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', limit, 0)])
        let left = limit
        for (const amounts of rounds) {
          const total = amounts.reduce((sum, amount) => sum + amount, 0n)
          const result = await run(
            it,
            amounts.map((amount) => to(a, '0x', amount)),
          )
          expect(result === 'done').toBe(total <= left)
          if (result === 'done') left -= total
        }
        expect(await info(it, 'getNativeTokenSpendLimitInfo')).toMatchObject({ limitUsed: limit - left })
      },
    ),
    { numRuns: 4 },
  )
})

/** What `operationOf` gives an operation may cost, in wei. */
const cost = (3_000_000n + 2_000_000n + 50_000n) * 2_000_000_000n
const nonceKeyOf = (it: SessionAccount) => ({ nonceKey: BigInt(it.key.address) })

test('param: setGasSpendLimit', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setGasSpendLimit', 2n * cost, 0)])
  expect(await refusal(it, [to(a)])).toEqual(textOf('the nonce key is another'))
  expect(await refusal(it, [to(a)], { nonceKey: BigInt(it.owner.address) })).toEqual(textOf('the nonce key is another'))
  expect(await run(it, [to(a)], nonceKeyOf(it))).toBe('done')
  expect(await refusal(it, [to(a)], { ...nonceKeyOf(it), preVerificationGas: 50_001n })).toEqual(
    textOf('the gas limit is exceeded'),
  )
  expect(await run(it, [to(a)], nonceKeyOf(it))).toBe('done')
  expect(await refusal(it, [to(a)], nonceKeyOf(it))).toEqual(textOf('the gas limit is exceeded'))
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([
    { hasLimit: true, limit: 2n * cost, limitUsed: 2n * cost },
    false,
  ])
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setGasSpendLimit', 2n ** 256n - 1n, 0)])
  expect(await run(it, [to(a)])).toBe('done')
})

test('behavior: a paymaster’s operation may cost three verifications', async () => {
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setGasSpendLimit', cost + 2n * 2_000_000n * 2_000_000_000n, 0),
  ])
  const fields = { ...nonceKeyOf(it), paymasterAndData: demo }
  expect(await check(it, [to(a)], fields)).toBe(0n)
  expect(await refusal(it, [to(a)], { ...fields, preVerificationGas: 50_001n })).toEqual(
    textOf('the gas limit is exceeded'),
  )
})

test('param: refreshInterval of the gas limit: what is beyond it waits for the next interval', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setGasSpendLimit', cost, 1_000)])
  const fields = nonceKeyOf(it)
  const [{ lastUsedTime: start }] = (await info(it, 'getGasSpendLimit')) as [{ lastUsedTime: number }]
  expect(await run(it, [to(a)], fields)).toBe('done')
  expect(await check(it, [to(a)], fields)).toBe(BigInt(start + 1_000) << 208n)
  const early = handle(chain, await sessionOperation(chain, it, [to(a)], fields))
  expect((await readRevert(early)).args).toEqual([0n, 'AA22 expired or not due'])
  await increaseTime(1_001)
  expect(await run(it, [to(a)], fields)).toBe('done')
  const [{ lastUsedTime, limitUsed }, shouldReset] = (await info(it, 'getGasSpendLimit')) as [
    { lastUsedTime: number; limitUsed: bigint },
    boolean,
  ]
  expect([lastUsedTime >= start + 1_000, limitUsed, shouldReset]).toEqual([true, cost, false])
  expect(await check(it, [to(a)], fields)).toBe(BigInt(lastUsedTime + 1_000) << 208n)
  expect(await refusal(it, [to(a)], { ...fields, preVerificationGas: 50_001n })).toEqual(
    textOf('the gas limit is exceeded'),
  )
})

test('behavior: an execution that fails leaves the interval’s time to be written down by anyone', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setGasSpendLimit', cost, 1_000)])
  const fields = nonceKeyOf(it)
  await run(it, [to(a)], fields)
  await increaseTime(1_001)
  expect(await run(it, [to(a, '0x', 1n)], fields)).toMatchObject({ name: 'NativeTokenSpendLimitExceeded' })
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ limitUsed: cost }, true])
  expect(await refusal(it, [to(a)], fields)).toEqual(textOf('the gas limit is exceeded'))
  const args = [it.address, it.key.address]
  const reset = { ...sessionKeyPlugin, functionName: 'resetSessionKeyGasLimitTimestamp', args }
  await chain
    .connect(it.stranger.privateKey)
    .transact({ to: sessionKeyPlugin.address, data: encodeFunctionData(reset) })
  const at = await now(it)
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ limitUsed: cost, lastUsedTime: at }, false])
  // Once: a second time would push the interval on without end.
  await increaseTime(100)
  await chain
    .connect(it.stranger.privateKey)
    .transact({ to: sessionKeyPlugin.address, data: encodeFunctionData(reset) })
  expect(await info(it, 'getGasSpendLimit')).toMatchObject([{ lastUsedTime: at }, false])
})

test('param: setRequiredPaymaster', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setRequiredPaymaster', a)])
  const required = textOf('another paymaster is required')
  for (const paymasterAndData of ['0x', b, concat([b, a]), a.slice(0, -2) as Hex] as const)
    expect(await refusal(it, [to(a)], { paymasterAndData })).toEqual(required)
  for (const paymasterAndData of [a, concat([a, toHex('data')])])
    expect(await check(it, [to(a)], { paymasterAndData })).toBe(0n)
  expect(await info(it, 'getRequiredPaymaster')).toBe(getAddress(a))
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setRequiredPaymaster', zeroAddress)])
  expect(await check(it, [to(a)])).toBe(0n)
})
