import { startTestStore } from '@latchkey/testkit/database'
import { type WebhookType, webhookTypes } from 'latchkey-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../platform/database/openStore.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import { createNews } from './createNews.ts'

let store: Store
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store?.close())

const project = (id: string, events: readonly WebhookType[] = webhookTypes) => ({
  id,
  webhooks: [{ id: 'main', url: 'https://app.example/', events, secret: 'LATCHKEY_WEBHOOK_SECRET_APP' }],
})
const projects = [project('one'), project('two', ['user.created']), project('three'), { id: 'none' }]
const hourMs = 3_600_000
let now = 1_000 * hourMs
const open = () => createNews({ db: store.db, projects, logger: silentLogger, now: () => now })
const list = async () =>
  (
    await store.db.selectFrom('webhook_outbox').select(['project_id', 'type', 'data']).orderBy('created_at').execute()
  ).map(({ project_id, type, data }) => `${project_id} ${type} ${JSON.stringify(data)}`)

test('default: one an hour of each limit, however often and by how many copies it is met', async () => {
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

test('behavior: a low deposit is news for all that want it', async () => {
  const data = { chainId: 1, entryPoint: '0x01', paymaster: '0x02', deposit: '5', lowBelow: '6' } as const
  for (let times = 0; times < 5; times++) open().tellAll({ type: 'deposit.low', once: 'deposit 1', data }, 6)
  await expect
    .poll(async () =>
      (await list())
        .filter((line) => line.includes('deposit'))
        .map((line) => line.slice(0, 17))
        .sort(),
    )
    .toEqual(['one deposit.low {', 'three deposit.low'])
})
