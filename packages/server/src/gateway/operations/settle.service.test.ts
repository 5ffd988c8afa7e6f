import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { afterAll, expect, test } from 'vitest'
import { release } from './release.ts'
import { unsettle } from './settle.ts'

const ledger = await startTestLedger()
afterAll(() => ledger.close())

const reservation = (sender: string) =>
  ledger.store.db.selectFrom('reservations').selectAll().where('sender', '=', sender).executeTakeFirst()
const signatures = async (sender: string) => {
  const query = ledger.store.db
    .selectFrom('sponsorships')
    .select(['user_op_hash', 'state'])
    .where('sender', '=', sender)
  return Object.fromEntries((await query.execute()).map((row) => [row.user_op_hash ?? '', row.state]))
}
const spend = (policyId: string) =>
  ledger.store.db
    .selectFrom('policy_spend')
    .select(['spender', 'count', 'cost'])
    .where('policy_id', '=', policyId)
    // Excludes the spending of requesters, which another test covers.
    .where('spender', 'not like', 'key:%')
    .orderBy('spender')
    .execute()

test('ledger an included operation once', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign()
  const { sender } = signed.request
  const other = await policy.sign({ sender })
  const booked = { isNew: true, policy: { projectId: 'app', policyId: policy.id } }
  expect(await policy.settle(signed)).toEqual(booked)
  const stored = { state: 'settled', actual_cost: '700', success: true, block_number: '101' }
  expect(await reservation(sender)).toMatchObject({ ...stored, user_op_hash: signed.userOpHash })
  expect(await signatures(sender)).toEqual({ [signed.userOpHash]: 'settled', [other.userOpHash]: 'unused' })
  expect(await spend(policy.id)).toEqual([
    { spender: '', count: '1', cost: '700' },
    { spender: sender, count: '1', cost: '700' },
  ])
})

test('ledger an event once, even when repeated at once', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign()
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => policy.settle(signed)))
  expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await spend(policy.id)).toMatchObject([{ cost: '700' }, { cost: '700' }])
})

test('charges the policy whose signature was included', async () => {
  const [first, second] = [await ledger.policy(), await ledger.policy()]
  const signed = await first.sign()
  await second.sign({ sender: signed.request.sender })
  expect((await first.settle(signed)).policy?.policyId).toBe(first.id)
  expect(await spend(second.id)).toEqual([])
})

test('ledger the event of the new block after a reorganization', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign()
  await policy.settle(signed)
  await policy.settle(signed, { blockHash: `0x${'ef'.repeat(32)}`, blockNumber: 102n, actualGasCost: 650n })
  expect(await spend(policy.id)).toMatchObject(Array(2).fill({ count: '1', cost: '650' }))
})

test('reserves again when a block is reverted', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign({ chainId: 77 })
  const { sender } = signed.request
  await policy.sign({ chainId: 77, sender, maxCost: 4_000n })
  await policy.settle(signed, { blockNumber: 500n })
  const { entryPoint } = signed.request
  expect(await unsettle(ledger.store.db, { chainId: 77, entryPoint, fromBlock: 501n })).toBe(0)
  expect(await unsettle(ledger.store.db, { chainId: 77, entryPoint, fromBlock: 500n })).toBe(1)
  expect(await reservation(sender)).toMatchObject({ state: 'reserved', amount: '4000', actual_cost: null })
  expect(Object.values(await signatures(sender))).toEqual(['signed', 'signed'])
  expect(await spend(policy.id)).toMatchObject([{ count: '0', cost: '0' }, { cost: '0' }])
  await policy.settle(signed, { blockNumber: 503n })
  expect(await spend(policy.id)).toMatchObject([{ cost: '700' }, { cost: '700' }])
})

test('ledger operations of another signer on no policy', async () => {
  const policy = await ledger.policy()
  const foreign = { request: policy.request(), userOpHash: `0x${'99'.repeat(32)}` }
  expect(await policy.settle(foreign)).toEqual({ isNew: true, policy: null })
  expect(await reservation(foreign.request.sender)).toMatchObject({
    state: 'settled',
    actual_cost: '700',
    project_id: null,
  })
  expect(await spend(policy.id)).toEqual([])
})

test('ledger the exact sum of concurrent events', async () => {
  const policy = await ledger.policy()
  const signed = await Promise.all(Array.from({ length: 12 }, () => policy.sign()))
  const costs = signed.map((_, index) => 10n ** 17n + BigInt(index) * 7n)
  await Promise.all(
    signed.map((one, index) => policy.settle(one, { actualGasCost: costs[index] ?? 0n, logIndex: index })),
  )
  const sum = costs.reduce((total, cost) => total + cost, 0n)
  expect((await spend(policy.id))[0]).toEqual({ spender: '', count: '12', cost: String(sum) })
})

test("charges our policy nothing for another signer's operation on our nonce", async () => {
  const policy = await ledger.policy()
  const { request } = await policy.sign()
  const foreign = { request, userOpHash: `0x${'98'.repeat(32)}` }
  expect(await policy.settle(foreign)).toEqual({ isNew: true, policy: null })
  expect(await reservation(request.sender)).toMatchObject({ project_id: null, policy_id: null })
  expect(await spend(policy.id)).toEqual([])
})

test('keeps expired signatures and foreign operations closed when their block is reverted', async () => {
  const policy = await ledger.policy()
  const until = (second: number) => new Date(1_900_000_000_000 + second * 1_000)
  const over = await policy.sign({ chainId: 78, maxCost: 3_000n, validUntil: until(10) })
  const { sender, entryPoint } = over.request
  const used = await policy.sign({ chainId: 78, sender, validUntil: until(20) })
  await release(ledger.store.db, { chainId: 78, entryPoint, scannedTo: until(15) })
  const foreign = { request: policy.request({ chainId: 78 }), userOpHash: `0x${'97'.repeat(32)}` }
  for (const signed of [used, foreign]) await policy.settle(signed, { blockNumber: 500n })
  expect(await signatures(sender)).toEqual({ [over.userOpHash]: 'expired', [used.userOpHash]: 'settled' })
  expect(await unsettle(ledger.store.db, { chainId: 78, entryPoint, fromBlock: 500n })).toBe(2)
  expect(await signatures(sender)).toEqual({ [over.userOpHash]: 'expired', [used.userOpHash]: 'signed' })
  expect(await reservation(sender)).toMatchObject({ state: 'reserved', amount: '1000' })
  expect(await reservation(foreign.request.sender)).toMatchObject({ state: 'released', amount: '0' })
})
