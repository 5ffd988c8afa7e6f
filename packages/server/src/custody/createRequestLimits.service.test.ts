import { startTestCustody } from '@latchkey/testkit/custody'
import { holdRows } from '@latchkey/testkit/holdRows'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody()
afterAll(() => custody.close())

test('keeps connections free for other organizations while one sends slow queries', async () => {
  const [hostile, bystander] = [await custody.createUser(), await custody.createUser()]
  const list = () =>
    custody.call(
      'query/list_wallet_accounts',
      { organizationId: hostile.orgId, includeWalletDetails: true },
      hostile.key,
    )
  const held = await holdRows(custody.store.pool, 'lock table wallet_accounts in access exclusive mode', [])
  const replies = Array.from({ length: 60 }, list)
  await held.untilWaiting(2)
  const { status } = await custody.call('query/list_users', { organizationId: bystander.orgId }, bystander.key)
  await held.release()
  expect(status).toBe(200)
  for (const reply of await Promise.all(replies)) expect([200, 400, 429]).toContain(reply.status)
})
