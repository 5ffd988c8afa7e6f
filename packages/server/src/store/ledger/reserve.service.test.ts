import { randomBytes } from 'node:crypto'
import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { holdRows } from '@latchkey/testkit/holdRows'
import { afterAll, expect, test } from 'vitest'
import { release } from '../../gateway/operations/release.ts'
import { openStore } from '../../platform/database/openStore.ts'
import { deletePolicy, setPolicyPaused, upsertPolicy } from './policies.ts'
import { recordSent, reserve } from './reserve.ts'

const ledger = await startTestLedger()
afterAll(() => ledger.close())

const rowsOf = (sender: string) =>
  ledger.store.db.selectFrom('reservations').selectAll().where('sender', '=', sender).execute()

const newSender = () => `0x${randomBytes(20).toString('hex')}`

test('reserves the highest cost and records the signature', async () => {
  const policy = await ledger.policy()
  const { request, userOpHash } = await policy.sign()
  expect(await rowsOf(request.sender)).toMatchObject([
    { state: 'reserved', amount: '1000', nonce: '0', project_id: 'app', policy_id: policy.id },
  ])
  const sponsorships = ledger.store.db.selectFrom('sponsorships').selectAll()
  const signatures = await sponsorships.where('user_op_hash', '=', userOpHash).execute()
  expect(signatures).toMatchObject([{ state: 'signed', max_cost: '1000', sender: request.sender }])
})

test('reserves the highest cost of signatures for one nonce, not the sum', async () => {
  const policy = await ledger.policy()
  const { request } = await policy.sign()
  const { sender } = request
  await policy.sign({ sender, maxCost: 3_000n })
  await policy.sign({ sender, maxCost: 2_000n })
  expect(await rowsOf(sender)).toMatchObject([{ amount: '3000' }])
  await policy.sign({ sender, nonce: 1n })
  expect((await rowsOf(sender)).map((row) => row.amount).sort()).toEqual(['1000', '3000'])
})

test('reserves at most the deposit less open reservations', async () => {
  const policy = await ledger.policy()
  const deposit = { wei: 5_000n, blockNumber: 100n }
  await policy.sign({ maxCost: 1_500n, deposit })
  expect(await policy.reserve({ maxCost: 3_501n, deposit })).toEqual({ ok: false, rule: 'deposit', available: 3_500n })
  expect(await policy.reserve({ maxCost: 3_500n, deposit })).toMatchObject({ ok: true })
  expect(await policy.reserve({ maxCost: 1n, deposit })).toEqual({ ok: false, rule: 'deposit', available: 0n })
  const [entryPoint, paymaster] = [`0x${'07'.repeat(20)}`, `0x${'08'.repeat(20)}`]
  for (const change of [{ chainId: 1 }, { entryPoint }, { paymaster }])
    expect(await policy.reserve({ maxCost: 5_000n, deposit, ...change })).toMatchObject({ ok: true })
})

test('reserves only the additional cost of a replacement', async () => {
  const policy = await ledger.policy()
  const deposit = { wei: 2_000n, blockNumber: 100n }
  const { request } = await policy.sign({ maxCost: 1_900n, deposit })
  const { sender } = request
  expect(await policy.reserve({ sender, maxCost: 2_000n, deposit })).toMatchObject({ ok: true })
  expect(await policy.reserve({ sender, maxCost: 2_001n, deposit })).toMatchObject({ ok: false, rule: 'deposit' })
})

test("subtracts operations settled after the deposit's block", async () => {
  const policy = await ledger.policy()
  const signed = await policy.sign()
  await policy.settle(signed, { actualGasCost: 700n, blockNumber: 101n })
  // The deposit in block 100 still includes the 700 wei that block 101 took.
  const before = { wei: 1_000n, blockNumber: 100n }
  expect(await policy.reserve({ maxCost: 301n, deposit: before })).toMatchObject({ rule: 'deposit', available: 300n })
  expect(await policy.reserve({ maxCost: 300n, deposit: { wei: 300n, blockNumber: 101n } })).toMatchObject({ ok: true })
})

const budget = (scope: 'sender' | 'policy', period: 'day' | 'total', unit: 'count' | 'cost') => ({
  limits: { [scope]: { [period]: unit === 'count' ? { count: 3 } : { cost: '3000' } } },
})

for (const scope of ['sender', 'policy'] as const)
  for (const period of ['day', 'total'] as const)
    for (const unit of ['count', 'cost'] as const)
      test(`applies the limit of ${unit} of a ${scope} per ${period} to open and settled operations`, async () => {
        const policy = await ledger.policy(budget(scope, period, unit))
        const { request, userOpHash } = await policy.sign()
        const { sender } = request
        await policy.settle({ request, userOpHash }, { actualGasCost: 1_000n })
        await policy.sign({ sender, nonce: 1n })
        await policy.sign({ sender, nonce: 2n })
        const rule = `limits.${scope}.${period}.${unit}`
        const limit = unit === 'count' ? '3' : '3000'
        expect(await policy.reserve({ sender, nonce: 3n, maxCost: 1n })).toEqual({ ok: false, rule, limit })
        // Each sender has a separate budget, but all share the policy's budget.
        const other = await policy.reserve()
        expect(other.ok).toBe(scope === 'sender')
        expect(await policy.reserve({ sender, nonce: 2n })).toMatchObject({ ok: true })
      })

test('renews daily budgets and keeps totals', async () => {
  const yesterday = { blockTime: new Date(Date.now() - 24 * 3_600_000), actualGasCost: 1_000n }
  const daily = await ledger.policy({ limits: { policy: { day: { cost: '1000', count: 1 } } } })
  const total = await ledger.policy({ limits: { policy: { total: { cost: '1000' } } } })
  for (const policy of [daily, total]) await policy.settle(await policy.sign(), yesterday)
  expect(await daily.reserve()).toMatchObject({ ok: true })
  expect(await total.reserve({ maxCost: 1n })).toMatchObject({ ok: false, rule: 'limits.policy.total.cost' })
})

test('counts costs per chain and operations across chains', async () => {
  const cost = await ledger.policy({ limits: { policy: { total: { cost: '1000' } } } })
  await cost.sign()
  expect(await cost.reserve({ chainId: 10 })).toMatchObject({ ok: true })
  const count = await ledger.policy({ limits: { policy: { total: { count: 1 } } } })
  await count.sign()
  expect(await count.reserve({ chainId: 10 })).toMatchObject({ ok: false, rule: 'limits.policy.total.count' })
})

test('limits the cost of one operation', async () => {
  const policy = await ledger.policy({ limits: { operation: { cost: '1000' } } })
  expect(await policy.reserve({ maxCost: 1_001n })).toMatchObject({ ok: false, rule: 'limits.operation.cost' })
  expect(await policy.reserve()).toMatchObject({ ok: true })
})

test('bounds open reservations of an address, a key and a sender until they close', async () => {
  const policy = await ledger.policy({ open: { ip: 2, key: 5, sender: 3, signatures: 2 } })
  const first = await policy.sign({ caller: { key: 'k', ip: '192.0.2.1' } })
  await policy.sign({ caller: { key: 'k', ip: '192.0.2.1' } })
  expect(await policy.reserve({ caller: { key: 'k', ip: '192.0.2.1' } })).toMatchObject({ rule: 'open.ip', limit: '2' })
  const sender = newSender()
  for (const nonce of [0n, 1n, 2n]) await policy.sign({ sender, nonce, caller: { key: 'k' } })
  expect(await policy.reserve({ caller: { key: 'k' } })).toMatchObject({ rule: 'open.key', limit: '5' })
  expect(await policy.reserve({ sender, nonce: 3n, caller: { key: 'k' } })).toMatchObject({ rule: 'open.sender' })
  // Each caller may sign an open reservation again, up to a limit.
  await policy.sign({ sender, nonce: 2n, caller: { key: 'k' } })
  const again = { sender, nonce: 2n }
  expect(await policy.reserve({ ...again, caller: { key: 'k' } })).toMatchObject({
    rule: 'open.signatures',
    limit: '2',
  })
  expect(await policy.reserve({ ...again, caller: { key: 'other' } })).toMatchObject({ ok: true })

  await policy.settle(first)
  expect(await policy.reserve({ caller: { key: 'k2', ip: '192.0.2.1' } })).toMatchObject({ ok: true })
  const callers = await ledger.store.db.selectFrom('sponsorships').select(['caller_key', 'caller_ip']).execute()
  expect(JSON.stringify(callers)).not.toMatch(/192\.0\.2|"k"/)
})

const wei = (cost: number) => ({ cost: String(cost) })
const eve = { key: 'page', ip: '192.0.2.66' }
const ann = { key: 'page', ip: '198.51.100.1' }

test.each([
  ['open operations', { open: { sender: 3, signatures: 3 } }],
  ['a daily count', { limits: { sender: { day: { count: 3 } } } }],
  ['a daily cost', { limits: { sender: { day: wei(3_000) } } }],
  ['a total cost', { limits: { sender: { total: wei(3_000) } } }],
])("keeps a sender's %s from reservations by others", async (_name, rules) => {
  const policy = await ledger.policy(rules)
  const sender = newSender()
  const victim = { sender, caller: ann }
  for (const nonce of [0n, 1n, 2n]) await policy.sign({ sender, nonce, caller: eve })
  expect((await policy.reserve({ sender, nonce: 3n, caller: eve })).ok).toBe(false)
  // A more expensive signature for the same nonce does not count for the account either.
  await policy.sign({ sender, maxCost: 2_500n, caller: { ...eve, ip: '192.0.2.67' } })
  for (const nonce of [0n, 1n, 2n]) await policy.sign({ ...victim, nonce })
  expect((await policy.reserve({ ...victim, nonce: 3n })).ok).toBe(false)
})

test('counts a sent operation for its sender, whoever requested it', async () => {
  const policy = await ledger.policy({ open: { sender: 1 } })
  const { request, userOpHash } = await policy.sign({ caller: eve })
  const { sender } = request
  expect(await policy.reserve({ sender, nonce: 1n, caller: ann })).toMatchObject({ ok: true })
  await recordSent(ledger.store.db, userOpHash)
  expect(await policy.reserve({ sender, nonce: 2n, caller: ann })).toMatchObject({ rule: 'open.sender' })
})

test('bounds the cost that an address holds without sending', async () => {
  const policy = await ledger.policy({ open: { cost: '2500' } })
  const first = await policy.sign({ caller: eve })
  await policy.sign({ caller: eve })
  expect(await policy.reserve({ caller: eve })).toEqual({ ok: false, rule: 'open.cost', limit: '2500' })
  expect(await policy.reserve({ caller: ann })).toMatchObject({ ok: true })
  await recordSent(ledger.store.db, first.userOpHash)
  expect(await policy.reserve({ caller: eve })).toMatchObject({ ok: true })
})

test('leaves a part of the daily cost to others, however many addresses reserve', async () => {
  const policy = await ledger.policy({ limits: { policy: { day: wei(100_000) } } })
  for (let address = 0; address < 50; address++) {
    const caller = { key: 'page', ip: `192.0.2.${address}` }
    for (const maxCost of [5_000n, 2_500n, 1_000n, 500n, 250n]) await policy.reserve({ maxCost, caller })
  }
  expect(await policy.reserve({ caller: ann, maxCost: 1_000n })).toMatchObject({ ok: true })
})

for (const scope of ['ip', 'key'] as const)
  test(`limits what one ${scope} spends in a day, whatever senders it names`, async () => {
    const policy = await ledger.policy({ limits: { [scope]: { day: { cost: '3000', count: 3 } } } })
    const caller = { key: newSender(), ip: newSender() }
    const yesterday = new Date(Date.now() - 24 * 3_600_000)
    await policy.settle(await policy.sign({ caller }), { blockTime: yesterday, actualGasCost: 3_000n })
    await policy.settle(await policy.sign({ caller }), { actualGasCost: 1_000n })
    await policy.sign({ caller, maxCost: 1_500n })
    const rule = `limits.${scope}.day`
    expect(await policy.reserve({ caller, maxCost: 501n })).toEqual({ ok: false, rule: `${rule}.cost`, limit: '3000' })
    await policy.sign({ caller, maxCost: 500n })
    expect(await policy.reserve({ caller, maxCost: 0n })).toEqual({ ok: false, rule: `${rule}.count`, limit: '3' })
    const other = scope === 'ip' ? { ...caller, ip: newSender() } : { ...caller, key: newSender() }
    expect(await policy.reserve({ caller: other })).toMatchObject({ ok: true })
  })

test.each([
  ['one operation', 1, { maxCost: 5n * 10n ** 16n }, 'limits.operation.cost'],
  ['one operation on a layer 2', 8453, { maxCost: 10n ** 15n }, 'limits.operation.cost'],
  ['one address a day', 8453, { maxCost: 2n * 10n ** 16n, caller: ann }, 'limits.ip.day.cost'],
  ['a day', 8453, { maxCost: 10n ** 17n }, 'limits.policy.day.cost'],
])('limits the cost of %s in a policy without costs, on chain %i', async (_name, chainId, most, rule) => {
  const isOperation = rule === 'limits.operation.cost'
  const wide = { limits: { operation: wei(10 ** 18) }, open: wei(10 ** 18) }
  const policy = await ledger.policy(isOperation ? {} : wide)
  expect(await policy.reserve({ chainId, deposit: undefined, ...most, maxCost: most.maxCost + 1n })).toEqual({
    ok: false,
    rule,
    limit: String(most.maxCost),
  })
  expect(await policy.reserve({ chainId, deposit: undefined, ...most })).toMatchObject({ ok: true })
})

test('refuses paused, deleted and foreign policies and used nonces', async () => {
  const policy = await ledger.policy()
  expect(await setPolicyPaused(ledger.store.db, 'app', policy.id, true)).toBe(true)
  expect(await policy.reserve()).toEqual({ ok: false, rule: 'paused' })
  await setPolicyPaused(ledger.store.db, 'app', policy.id, false)
  const signed = await policy.sign()
  await policy.settle(signed)
  expect(await policy.reserve({ sender: signed.request.sender })).toEqual({ ok: false, rule: 'nonce' })
  expect(await policy.reserve({ projectId: 'theirs' })).toEqual({ ok: false, rule: 'policy' })
  expect(await deletePolicy(ledger.store.db, 'app', policy.id)).toBe(true)
  expect(await policy.reserve()).toEqual({ ok: false, rule: 'policy' })
})

test('overspends neither a budget nor a deposit from two concurrent copies', async () => {
  const copy = await openStore({ databaseUrl: ledger.databaseUrl })
  const cases = [
    { rules: { limits: { policy: { total: { cost: '25000' } } } }, wei: 1_000_000n, expected: 25 },
    { rules: {}, wei: 12_345n, expected: 12 },
  ]
  for (const { rules, wei, expected } of cases) {
    const policy = await ledger.policy(rules)
    const deposit = { wei, blockNumber: 1n }
    const asked = [ledger.store, copy].flatMap(({ db }) =>
      Array.from({ length: 40 }, () => reserve(db, policy.request({ deposit, sender: newSender() }))),
    )
    expect((await Promise.all(asked)).filter(({ ok }) => ok)).toHaveLength(expected)
    const rows = ledger.store.db.selectFrom('reservations').select('amount').where('policy_id', '=', policy.id)
    expect(await rows.execute()).toEqual(Array.from({ length: expected }, () => ({ amount: '1000' })))
  }
  await copy.close()
})

test.each([
  ['one deposit under two policies', {}, { policies: 2, paymasters: 1 }, 'deposit'],
  [
    'the budget of one policy with two paymasters',
    { limits: { policy: { total: { cost: '1500' } } } },
    { policies: 1, paymasters: 2 },
    'limits.policy.total.cost',
  ],
] as const)(
  'accepts one of two concurrent reservations that share %s',
  async (_name, rules, { policies, paymasters }, rule) => {
    const first = await ledger.policy(rules)
    const second = policies === 1 ? first : await ledger.policy(rules)
    const { paymaster } = first.request()
    const deposit = { wei: 1_500n, blockNumber: 100n }
    // The lock blocks both writes until both requests have read.
    const held = await holdRows(ledger.store.pool, 'lock table reservations in share row exclusive mode', [])
    const asked = [
      first.reserve({ deposit, paymaster }),
      second.reserve({ deposit, paymaster: paymasters === 1 ? paymaster : `0x${'09'.repeat(20)}` }),
    ]
    await held.untilWaiting(2)
    await held.release()
    const outcomes = (await Promise.all(asked)).sort((a, b) => Number(b.ok) - Number(a.ok))
    expect(outcomes).toMatchObject([{ ok: true }, { ok: false, rule }])
  },
)

test('refuses a cheaper replacement when the deposit no longer covers the earlier signature', async () => {
  const policy = await ledger.policy()
  const { request } = await policy.sign({ maxCost: 1_000n, deposit: { wei: 1_000n, blockNumber: 100n } })
  const cheaper = { sender: request.sender, maxCost: 400n }
  const refused = await policy.reserve({ ...cheaper, deposit: { wei: 999n, blockNumber: 101n } })
  expect(refused).toEqual({ ok: false, rule: 'deposit', available: 999n })
  expect((await policy.reserve({ ...cheaper, deposit: { wei: 1_000n, blockNumber: 101n } })).ok).toBe(true)
})

test('refuses a nonce that is settled during its reservation', async () => {
  const policy = await ledger.policy()
  const { sender } = (await policy.sign()).request
  const held = await holdRows(
    ledger.store.pool,
    `update reservations set state = 'settled', actual_cost = 700, success = true, user_op_hash = '0x1', block_number = 1,
      block_hash = '0x2', block_time = now(), transaction_hash = '0x3', log_index = 0 where sender = $1`,
    [sender],
  )
  const again = policy.reserve({ sender })
  await held.untilWaiting(1)
  await held.release()
  expect(await again).toEqual({ ok: false, rule: 'nonce' })
  expect(await rowsOf(sender)).toMatchObject([{ state: 'settled', actual_cost: '700' }])
})

test('refuses a replacement after its budget was lowered', async () => {
  const policy = await ledger.policy()
  const { sender } = (await policy.sign({ maxCost: 900n })).request
  const rules = { limits: { policy: { total: { cost: '800' } } } }
  await upsertPolicy(ledger.store.db, { projectId: 'app', id: policy.id, rules })
  // The signature for 900 wei can still be used.
  expect(await policy.reserve({ sender, maxCost: 100n })).toMatchObject({ rule: 'limits.policy.total.cost' })
})

test('ends a reservation with its last signature and counts it for every caller until theirs end', async () => {
  const policy = await ledger.policy({ open: { key: 1 } })
  const until = (second: number) => new Date(1_900_000_000_000 + second * 1_000)
  const { request } = await policy.sign({ chainId: 8, validUntil: until(20), caller: { key: 'a' } })
  const { sender } = request
  await policy.sign({ chainId: 8, sender, validUntil: until(10), caller: { key: 'b' } })
  expect(await rowsOf(sender)).toMatchObject([{ valid_until: until(20) }])
  const isFree = async (key: string) => (await policy.reserve({ chainId: 8, caller: { key } })).ok
  expect([await isFree('a'), await isFree('b')]).toEqual([false, false])
  await release(ledger.store.db, { ...request, scannedTo: until(11) })
  expect([await isFree('a'), await isFree('b')]).toEqual([false, true])
  await release(ledger.store.db, { ...request, scannedTo: until(21) })
  await policy.sign({ chainId: 8, sender, validUntil: until(15), caller: { key: 'c' } })
  expect(await rowsOf(sender)).toMatchObject([{ valid_until: until(15) }])
  expect([await isFree('a'), await isFree('c')]).toEqual([true, false])
})
