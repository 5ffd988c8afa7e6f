import { startTestStore } from '@latchkey/testkit/database'
import { type WebhookType, webhookTypes } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { silentLogger } from '../platform/observability/logger.ts'
import { createEventStream } from './createEventStream.ts'

const store = await startTestStore()
afterAll(() => store.close())

const project = (id: string, events: readonly WebhookType[] = webhookTypes) => ({
  id,
  webhooks: [{ id: 'main', url: 'https://app.example/', events, secret: 'LATCHKEY_WEBHOOK_SECRET_APP' }],
})
const projects = [project('one'), project('two', ['user.created']), project('three'), { id: 'none' }]
const hourMs = 3_600_000
let now = 1_000 * hourMs
const open = () =>
  createEventStream({ db: store.db, readProjects: () => projects, logger: silentLogger, now: () => now })
const list = async () =>
  (
    await store.db.selectFrom('webhook_outbox').select(['project_id', 'type', 'data']).orderBy('created_at').execute()
  ).map(({ project_id, type, data }) => `${project_id} ${type} ${JSON.stringify(data)}`)

test('queues one webhook per limit and hour across copies', async () => {
  const copies = [open(), open()]
  for (let times = 0; times < 50; times++)
    for (const copy of copies)
      for (const projectId of ['one', 'two', 'none', 'unknown'])
        copy.hitLimit({ limit: 'gateway.unitsPerProject', projectId })
  copies[0]?.hitLimit({ limit: 'policy.limits.policy.day.cost', projectId: 'one', policyId: 'p' })
  await expect.poll(list).toHaveLength(2)
  expect((await list()).sort()).toEqual([
    'one limit.hit {"limit":"gateway.unitsPerProject","policyId":null}',
    'one limit.hit {"limit":"policy.limits.policy.day.cost","policyId":"p"}',
  ])
  now += hourMs
  copies[1]?.hitLimit({ limit: 'gateway.unitsPerProject', projectId: 'one' })
  await expect.poll(list).toHaveLength(3)
})

test('queues a low deposit for all subscribed endpoints', async () => {
  const data = { chainId: 1, entryPoint: '0x01', paymaster: '0x02', deposit: '5', lowBelow: '6' } as const
  for (let times = 0; times < 5; times++) open().tellAll({ type: 'deposit.low', once: 'deposit 1', data }, 6)
  const lowDeposits = async () =>
    (await list()).flatMap((line) => (line.includes('deposit') ? [line.slice(0, 17)] : [])).sort()
  await expect.poll(lowDeposits).toEqual(['one deposit.low {', 'three deposit.low'])
})
