import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { afterAll, expect, test } from 'vitest'
import { listPolicies } from '../../admin/reads/changePolicies.ts'
import { upsertProject } from '../upsertProject.ts'
import { findPolicy, setPolicyPaused, upsertPolicy } from './policies.ts'
import type { PolicyRulesInput } from './policyRules.ts'

const ledger = await startTestLedger()
for (const id of ['one', 'two'])
  await upsertProject(ledger.store.db, { id, name: id, apiKey: `key of ${id}`, redirectUrls: [], allowedOrigins: [] })
afterAll(() => ledger.close())

test('stores a policy with defaults', async () => {
  const { db } = ledger.store
  const target = '0xABcdEFABcdEFabcdEfAbCdefabcdeFABcDEFabCD'
  await upsertPolicy(db, { projectId: 'one', id: 'main', isDefault: true, rules: { targets: [{ address: target }] } })
  const policy = await findPolicy(db, 'one', 'main')
  expect(policy).toMatchObject({ projectId: 'one', id: 'main', isDefault: true, paused: false })
  expect(policy?.rules).toMatchObject({
    targets: [{ address: target.toLowerCase() }],
    limits: { operation: { gas: 10_000_000 } },
    factors: { callGasLimit: 2, preVerificationGas: 1.75, maxFeePerGas: 3, maxPriorityFeePerGas: 2 },
    open: { ip: 50, key: 5_000, sender: 8, signatures: 128 },
  })
  expect(await findPolicy(db, 'one', undefined)).toEqual(policy)
})

test('keeps one default policy per project', async () => {
  const { db } = ledger.store
  await Promise.all(['a', 'b', 'c'].map((id) => upsertPolicy(db, { projectId: 'one', id, isDefault: true })))
  const policies = await listPolicies(db, 'one')
  expect(policies.filter(({ isDefault }) => isDefault)).toHaveLength(1)
  expect(policies.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'main'])
})

test('replaces the rules of a redeclared policy and keeps its pause', async () => {
  const { db } = ledger.store
  await upsertPolicy(db, { projectId: 'two', id: 'p', isDefault: true, rules: { chains: [1] } })
  await setPolicyPaused(db, 'two', 'p', true)
  await upsertPolicy(db, { projectId: 'two', id: 'p', rules: { chains: [10] } })
  expect(await findPolicy(db, 'two', 'p')).toMatchObject({ paused: true, isDefault: true, rules: { chains: [10] } })
})

test('finds no policies of another project', async () => {
  const { db } = ledger.store
  expect(await findPolicy(db, 'two', 'main')).toBeNull()
  expect(await findPolicy(db, 'app', undefined)).toBeNull()
  expect(await setPolicyPaused(db, 'two', 'main', true)).toBe(false)
})

test.each<[unknown, string]>([
  [{ limit: {} }, 'limit'],
  [{ limits: { sender: { hour: { count: 1 } } } }, 'hour'],
  [{ limits: { policy: { total: { cost: 1 } } } }, 'limits.policy.total.cost'],
  [{ limits: { policy: { total: { cost: '-1' } } } }, 'limits.policy.total.cost'],
  [{ factors: { maxFeePerGas: 0.5 } }, 'factors.maxFeePerGas'],
  [{ factors: { maxFeePerGas: 1.00001 } }, 'factors.maxFeePerGas'],
  [{ targets: [{ address: '0x12' }] }, 'targets.0.address'],
  [{ targets: [{ address: `0x${'12'.repeat(20)}`, selectors: ['0x1234'] }] }, 'targets.0.selectors.0'],
  [{ webhook: { url: 'ftp://example.com' } }, 'webhook.url'],
  [{ validUntil: 'tomorrow' }, 'validUntil'],
])('refuses the rules %j', async (rules, place) => {
  const wrong = upsertPolicy(ledger.store.db, { projectId: 'one', id: 'wrong', rules: rules as PolicyRulesInput })
  await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(place) })
  expect(await findPolicy(ledger.store.db, 'one', 'wrong')).toBeNull()
})
