import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { afterAll, expect, test } from 'vitest'
import { release, withdraw } from './release.ts'

const ledger = await startTestLedger()
afterAll(() => ledger.close())

const seconds = (value: number) => new Date(1_900_000_000_000 + value * 1_000)
const stateOf = async (sender: string) => {
  const query = ledger.store.db.selectFrom('reservations').select(['state', 'amount']).where('sender', '=', sender)
  return query.executeTakeFirst()
}

test('releases a reservation after its last valid second', async () => {
  const policy = await ledger.policy()
  const { request } = await policy.sign({ validUntil: seconds(10), chainId: 1 })
  const scan = (to: number) => release(ledger.store.db, { ...request, scannedTo: seconds(to) })
  // A block with exactly this timestamp may still include the operation.
  expect(await scan(10)).toEqual({ released: 0, lowered: 0 })
  expect(await stateOf(request.sender)).toMatchObject({ state: 'reserved' })
  expect(await scan(11)).toEqual({ released: 1, lowered: 0 })
  expect(await stateOf(request.sender)).toMatchObject({ state: 'released' })
  expect(await scan(11)).toEqual({ released: 0, lowered: 0 })
})

test('keeps the highest usable cost reserved', async () => {
  const policy = await ledger.policy()
  const { request } = await policy.sign({ validUntil: seconds(10), maxCost: 3_000n, chainId: 2 })
  const { sender } = request
  await policy.sign({ sender, validUntil: seconds(20), maxCost: 1_200n, chainId: 2 })
  expect(await release(ledger.store.db, { ...request, scannedTo: seconds(15) })).toEqual({ released: 0, lowered: 1 })
  expect(await stateOf(sender)).toEqual({ state: 'reserved', amount: '1200' })
})

test('returns the budget of a released reservation', async () => {
  const policy = await ledger.policy({ limits: { policy: { total: { count: 1 } } } })
  const { request } = await policy.sign({ validUntil: seconds(10), chainId: 3 })
  expect(await policy.reserve({ chainId: 3 })).toMatchObject({ rule: 'limits.policy.total.count' })
  await release(ledger.store.db, { ...request, scannedTo: seconds(11) })
  await policy.sign({ chainId: 3, sender: request.sender, validUntil: seconds(30) })
  expect(await stateOf(request.sender)).toEqual({ state: 'reserved', amount: '1000' })
})

test('leaves other chains, entry points and settled operations alone', async () => {
  const policy = await ledger.policy()
  const settled = await policy.sign({ validUntil: seconds(10), chainId: 4 })
  await policy.settle(settled)
  const open = await policy.sign({ validUntil: seconds(10), chainId: 4 })
  const later = seconds(100)
  await release(ledger.store.db, { chainId: 5, entryPoint: open.request.entryPoint, scannedTo: later })
  await release(ledger.store.db, { chainId: 4, entryPoint: `0x${'01'.repeat(20)}`, scannedTo: later })
  expect(await stateOf(open.request.sender)).toMatchObject({ state: 'reserved' })
  await release(ledger.store.db, { ...open.request, scannedTo: later })
  expect(await stateOf(open.request.sender)).toMatchObject({ state: 'released' })
  expect(await stateOf(settled.request.sender)).toMatchObject({ state: 'settled' })
})

test('settles a released operation whose event arrives later', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign({ validUntil: seconds(10), chainId: 6 })
  await release(ledger.store.db, { ...signed.request, scannedTo: seconds(11) })
  expect(await policy.settle(signed)).toMatchObject({ policy: { policyId: policy.id } })
  expect(await stateOf(signed.request.sender)).toMatchObject({ state: 'settled' })
})

test('returns what an undelivered signature reserved, once', async () => {
  const policy = await ledger.policy()
  const { sender } = (await policy.sign({ chainId: 7 })).request
  const higher = await policy.reserve({ chainId: 7, sender, maxCost: 9_000n })
  if (!higher.ok) throw new TypeError(higher.rule)
  expect(await stateOf(sender)).toEqual({ state: 'reserved', amount: '9000' })
  await withdraw(ledger.store.db, higher.id)
  expect(await stateOf(sender)).toEqual({ state: 'reserved', amount: '1000' })
  const only = await policy.reserve({ chainId: 7 })
  if (!only.ok) throw new TypeError(only.rule)
  await withdraw(ledger.store.db, only.id)
  await withdraw(ledger.store.db, only.id)
  expect(await policy.reserve({ chainId: 7, deposit: { wei: 2_000n, blockNumber: 1n } })).toMatchObject({ ok: true })
})

test('keeps a settled operation when another signature is withdrawn', async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign()
  const { sender } = signed.request
  const beside = await policy.reserve({ sender })
  if (!beside.ok) throw new TypeError(beside.rule)
  await policy.settle(signed)
  await withdraw(ledger.store.db, beside.id)
  expect(await stateOf(sender)).toMatchObject({ state: 'settled' })
})
