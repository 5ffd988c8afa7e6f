import type { TestChain } from '@latchkey/testkit/chain'
import { sessionKeyPlugin, validate } from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { type Asked, type Change, type Limit, SessionKeyModel } from '@latchkey/testkit/contracts/sessionKeyModel'
import {
  allowAll,
  byOwner,
  type Call,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import {
  a,
  at,
  coin,
  cost,
  operationFor,
  readSecond,
  runAt,
  startTokenChain,
  to,
  token,
  transfer,
} from '@latchkey/testkit/contracts/timedSessionKeys'
import fc from 'fast-check'
import { concat, type Hex, maxUint256, pad, toHex, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

const payer = '0x000000000000000000000000000000000000b001'
const approve = (value: bigint) => concat(['0x095ea7b3', pad(a), toHex(value, { size: 32 })])
const f = '0x11111100'
const interval = 1_000

let chain: TestChain
beforeAll(async () => {
  chain = await startTokenChain()
})
afterAll(() => chain.close())

const changeData = (change: Change): Hex => {
  switch (change.kind) {
    case 'accessType':
      return update('setAccessListType', change.type)
    case 'target':
      return update('updateAccessListAddressEntry', change.target, change.isOnList, change.checkSelectors)
    case 'function':
      return update('updateAccessListFunctionEntry', change.target, change.selector, change.isOnList)
    case 'time':
      return update('updateTimeRange', change.from, change.until)
    case 'native':
      return update('setNativeTokenSpendLimit', change.limit, change.interval)
    case 'gas':
      return update('setGasSpendLimit', change.limit, change.interval)
    case 'token':
      return update('setERC20SpendLimit', change.token, change.limit, change.interval)
    case 'paymaster':
      return update('setRequiredPaymaster', change.paymaster ?? zeroAddress)
  }
}

async function expectSame({ address, key, read }: SessionAccount, model: SessionKeyModel): Promise<void> {
  const info = (functionName: string, ...args: readonly unknown[]) =>
    read.readContract({ ...sessionKeyPlugin, functionName, args: [address, key.address, ...args] })
  const shown = (limit: Limit | undefined) =>
    limit
      ? { limit: limit.limit, limitUsed: limit.used, refreshInterval: limit.interval, lastUsedTime: limit.since }
      : { hasLimit: false }
  expect(await info('getNativeTokenSpendLimitInfo')).toMatchObject(shown(model.native))
  expect(await info('getGasSpendLimit')).toMatchObject([shown(model.gas), model.isGasIntervalNew])
  for (const each of [token, coin])
    expect(await info('getERC20SpendLimitInfo', each)).toMatchObject(shown(model.tokens.get(each)))
  expect(await info('getKeyTimeRange')).toEqual([model.from, model.until])
  expect(await info('getAccessControlType')).toBe(model.accessType)
}

const someTarget = fc.constantFrom(a, token, coin)
const someInterval = fc.constantFrom(0, interval)
const someLimit = fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: 0n, max: 40n }) }, fc.constant(maxUint256))
const someChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('accessType' as const), type: fc.constantFrom<(0 | 1 | 2)[]>(0, 1, 2, 2) }),
  fc.record({
    kind: fc.constant('target' as const),
    target: someTarget,
    isOnList: fc.boolean(),
    checkSelectors: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('function' as const),
    target: someTarget,
    selector: fc.constantFrom<Hex>(f, '0x00000000', '0xa9059cbb'),
    isOnList: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('native' as const), limit: someLimit, interval: someInterval }),
  fc.record({
    kind: fc.constant('token' as const),
    token: fc.constantFrom(token, coin),
    limit: someLimit,
    interval: someInterval,
  }),
  fc.record({
    kind: fc.constant('gas' as const),
    limit: fc.constantFrom(cost - 1n, 2n * cost, 3n * cost, 5n * cost, maxUint256),
    interval: someInterval,
  }),
  fc.record({
    kind: fc.constant('paymaster' as const),
    paymaster: fc.constantFrom(undefined, undefined, undefined, payer),
  }),
)
const amount = fc.bigInt({ min: 0n, max: 12n })
const someCall: fc.Arbitrary<Call> = fc.record({
  target: someTarget,
  value: fc.oneof(fc.constant(0n), amount),
  data: fc.oneof(amount.map(transfer), amount.map(approve), fc.constantFrom<Hex>('0x', f, `${transfer(1n)}00`)),
})
const someOperation: fc.Arbitrary<Asked> = fc.record({
  calls: fc.oneof({ weight: 9, arbitrary: fc.array(someCall, { minLength: 1, maxLength: 3 }) }, fc.constant([])),
  cost: fc.constantFrom(cost, 2n * cost),
  isOwnNonceKey: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  paymaster: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constant(payer)),
})
const wait = fc.constantFrom(1, 10, interval - 1, interval, 3 * interval)

test('matches a model of its permissions after any changes and spending', async () => {
  const step = fc.record({ wait, changes: fc.array(someChange, { maxLength: 2 }), operation: someOperation })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 16 }), async (steps) => {
      const it = await createSessionAccount(chain, [allowAll])
      const model = new SessionKeyModel()
      model.change({ kind: 'accessType', type: 2 }, 0)
      let second = await readSecond(it)
      for (const { wait, changes, operation } of steps) {
        if (changes.length > 0) {
          second += 1
          await at(chain, second)
          await byOwner(it, 'updateKeyPermissions', it.key.address, changes.map(changeData))
          for (const change of changes) model.change(change, second)
        }
        second += wait
        const signed = await operationFor(chain, it, operation)
        const isSent = operation.paymaster === undefined
        const verdict = model.validate(operation, isSent)
        const { from, until } = 'refused' in verdict ? { from: 0, until: 0 } : verdict
        const answer =
          'refused' in verdict ? await readRevert(validate(chain, it, signed)) : await validate(chain, it, signed)
        expect(answer).toEqual(
          'refused' in verdict
            ? expect.objectContaining({ name: verdict.refused })
            : (BigInt(from) << 208n) | (BigInt(until) << 160n),
        )
        if ('refused' in verdict || !isSent) continue
        second = Math.max(second, from)
        const outcome = model.execute(operation.calls, second)
        expect(await runAt(chain, second, signed)).toBe(outcome === 'done' ? 'done' : outcome.refused)
        await expectSame(it, model)
      }
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

test('includes both ends of a time range, to the second', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  const start = (await readSecond(it)) + 100
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('updateTimeRange', start, start + 10)])
  const outcomes = []
  for (const second of [start - 1, start, start + 10, start + 11])
    outcomes.push(await runAt(chain, second, await sessionOperation(chain, it, [to(a)])))
  expect(outcomes).toEqual(['not valid', 'done', 'done', 'not valid'])
})

test.each([
  ['native token', update('setNativeTokenSpendLimit', 10n, interval), to(a, '0x', 10n), 'not valid'],
  ['token', update('setERC20SpendLimit', token, 10n, interval), to(token, approve(10n)), 'ERC20SpendLimitExceeded'],
  ['gas', update('setGasSpendLimit', cost, interval), to(a), 'not valid'],
])('renews a limit of %s in the second its interval ends', async (name, limit, call, refused) => {
  const it = await createSessionAccount(chain, [allowAll])
  const set = (await readSecond(it)) + 5
  await at(chain, set)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [limit])
  const outcomes = []
  for (const wait of [1, interval - 1, interval, 2 * interval - 1, 2 * interval]) {
    const asked = { calls: [call], cost, isOwnNonceKey: name === 'gas', paymaster: undefined }
    outcomes.push(await runAt(chain, set + wait, await operationFor(chain, it, asked)))
  }
  expect(outcomes).toEqual(['done', refused, 'done', refused, 'done'])
})
