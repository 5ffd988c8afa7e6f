import type { TestChain } from '@latchkey/testkit/chain'
import {
  allowAll,
  byOwner,
  type Call,
  createKeyTrials,
  createSessionAccount,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { demo } from '@latchkey/testkit/demoToken'
import { type Address, concat, getAddress, type Hex, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const [a, b] = ['0x000000000000000000000000000000000000a001', '0x000000000000000000000000000000000000b002'] as const
const f = '0x11111111'
const g = '0x22222222'
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
const info: typeof trials.info = (...args) => trials.info(...args)

test('applies the access list type', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  expect(await check(it, [to(a), to(b, f)])).toBe(0n)
  expect(await info(it, 'getAccessControlType')).toBe(2)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setAccessListType', 1)])
  expect(await check(it, [to(a)])).toBe(0n)
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setAccessListType', 0)])
  expect(await refusal(it, [to(a)])).toEqual(notPermitted)
})

test('applies an allowlist', async () => {
  const it = await createSessionAccount(chain, [
    update('updateAccessListAddressEntry', a, true, false),
    update('updateAccessListAddressEntry', b, true, true),
    update('updateAccessListFunctionEntry', b, f, true),
    // This entry has no effect, because its contract is not listed.
    update('updateAccessListFunctionEntry', demo, f, true),
  ])
  for (const calls of [[to(a)], [to(a, f), to(a, g)], [to(b, f)], [to(b, `${f}1234`), to(a)]])
    expect(await check(it, calls)).toBe(0n)
  expect(await refusal(it, [to(demo, f)])).toEqual(notPermitted)
  for (const data of ['0x', g, '0x111111'] as const) expect(await refusal(it, [to(b, data)])).toEqual(notPermitted)
  // One refused call refuses the operation.
  expect(await refusal(it, [to(a), to(b, f), to(demo)])).toEqual(notPermitted)
  expect(await info(it, 'getAccessControlEntry', b)).toEqual([true, true])
  expect(await info(it, 'isSelectorOnAccessControlList', b, f)).toBe(true)
  expect(await info(it, 'isSelectorOnAccessControlList', b, g)).toBe(false)

  await byOwner(it, 'updateKeyPermissions', it.key.address, [
    update('updateAccessListAddressEntry', a, false, false),
    update('updateAccessListFunctionEntry', b, f, false),
  ])
  expect(await refusal(it, [to(a)])).toEqual(notPermitted)
  expect(await refusal(it, [to(b, f)])).toEqual(notPermitted)
  // Empty data counts as 0x00000000, so plain transfers can be listed.
  await byOwner(it, 'updateKeyPermissions', it.key.address, [
    update('updateAccessListFunctionEntry', b, '0x00000000', true),
  ])
  expect(await check(it, [to(b)])).toBe(0n)
})

test('applies a denylist', async () => {
  const it = await createSessionAccount(chain, [
    update('setAccessListType', 1),
    update('updateAccessListAddressEntry', a, true, false),
    update('updateAccessListAddressEntry', b, true, true),
    update('updateAccessListFunctionEntry', b, f, true),
  ])
  for (const calls of [[to(demo)], [to(b, g)], [to(b)]]) expect(await check(it, calls)).toBe(0n)
  expect(await refusal(it, [to(a)])).toEqual(notPermitted)
  expect(await refusal(it, [to(a, g)])).toEqual(notPermitted)
  expect(await refusal(it, [to(b, f)])).toEqual(notPermitted)
})

test('applies a required paymaster', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setRequiredPaymaster', a)])
  for (const paymasterAndData of ['0x', b, concat([b, a]), a.slice(0, -2) as Hex] as const)
    expect(await refusal(it, [to(a)], { paymasterAndData })).toEqual(notPermitted)
  for (const paymasterAndData of [a, concat([a, toHex('data')])])
    expect(await check(it, [to(a)], { paymasterAndData })).toBe(0n)
  expect(await info(it, 'getRequiredPaymaster')).toBe(getAddress(a))
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('setRequiredPaymaster', zeroAddress)])
  expect(await check(it, [to(a)])).toBe(0n)
})

test('packs a time range into the validation data', async () => {
  const it = await createSessionAccount(chain, [allowAll])
  await byOwner(it, 'updateKeyPermissions', it.key.address, [update('updateTimeRange', 5, 7)])
  expect(await info(it, 'getKeyTimeRange')).toEqual([5, 7])
  expect(await check(it, [to(a)])).toBe((5n << 208n) | (7n << 160n))
})
