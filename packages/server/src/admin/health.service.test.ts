import { randomUUID } from 'node:crypto'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { startTestAdmin, type TestAdmin } from '@latchkey/testkit/startTestAdmin'
import { test } from '@latchkey/testkit/worker'
import { afterAll, expect } from 'vitest'
import { noteCopy, removeCopy } from '../store/serverCopies.ts'

let gateway: TestGateway
let admin: TestAdmin
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain, background: true })
  admin = await startTestAdmin({ databaseUrl: gateway.ownerUrl })
})
afterAll(async () => {
  await admin?.close()
  await gateway?.close()
})

const read = async (path: string) => (await admin.call('get', path, { as: 'viewer' })).body
const copy = (roles: string[]) => ({ id: randomUUID(), roles, version: '1.2.3' })

test("shows the head, bundler, deposits and read position of a gateway's chains", async () => {
  await expect.poll(async () => (await read('/chains')).items.length).toBe(1)
  const [chain] = (await read('/chains')).items
  expect(chain).toMatchObject({ chainId: 31337, error: null, errorAt: null })
  expect(Number(chain.head.number)).toBeGreaterThan(0)
  expect(chain.bundlerEntryPoints.length).toBeGreaterThan(0)
  expect(chain.paymasters.length).toBeGreaterThan(0)
  for (const paymaster of chain.paymasters) expect(BigInt(paymaster.deposit)).toBeGreaterThan(0n)
  await expect.poll(async () => (await read('/chains')).items[0].readUpTo.length).toBeGreaterThan(0)
})

test('shows the state of copies and does not count silent ones', async () => {
  const { db, pool } = admin.owner
  const [custody, mail, lost] = [copy(['custody', 'mail']), copy(['mail']), copy(['gateway'])]
  await noteCopy(db, custody, { status: 'ready', lacking: { mail: 'its SMTP server does not accept mail' } })
  await noteCopy(db, mail, { status: 'not ready', problems: { server: 'is ending' } })
  await noteCopy(db, lost, { status: 'ready' })
  await pool.query(`update server_copies set seen_at = now() - interval '2 minutes' where id = $1`, [lost.id])
  const health = await read('/health')
  const own = health.copies.filter(({ version }: { version: string }) => version === '1.2.3')
  expect(own.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
    [custody.id, 'ready'],
    [mail.id, 'not ready'],
    [lost.id, 'silent'],
  ])
  expect(own[1].problems).toEqual({ server: 'is ending' })
  expect(health.roles).toEqual([
    { role: 'custody', copies: 1, ready: 1, lacking: null },
    { role: 'gateway', copies: 0, ready: 0, lacking: null },
    { role: 'mail', copies: 2, ready: 1, lacking: 'its SMTP server does not accept mail' },
  ])
  await removeCopy(db, custody.id)
  await pool.query(`update server_copies set seen_at = now() - interval '25 hours' where id = $1`, [lost.id])
  await noteCopy(db, mail, { status: 'ready' })
  expect((await read('/health')).copies).toMatchObject([{ id: mail.id, status: 'ready', problems: {}, lacking: {} }])
})
