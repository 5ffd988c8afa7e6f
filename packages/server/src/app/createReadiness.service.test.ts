import { startTestDatabase } from '@latchkey/testkit/database'
import { startAllRoles } from '@latchkey/testkit/startAllRoles'
import { expect, test } from 'vitest'
import { openStore } from '../platform/database/openStore.ts'
import { copyProblems, createReadiness } from './createReadiness.ts'

test('reports a read-only and a lost database, and the end of the server', async () => {
  const database = await startTestDatabase({ migrated: true })
  const store = await openStore({ databaseUrl: database.url, timeoutMs: 20_000, maxConnections: 1 })
  const readiness = createReadiness(new Map([['custody', store]]))
  const ask = async () => {
    const response = await readiness.respond()
    return [response.status, await response.json()]
  }
  await expect.poll(ask).toEqual([200, { status: 'ready' }])
  const setReadOnly = (value: string) => store.pool.query(`set default_transaction_read_only = ${value}`)
  const stuck = [503, { status: 'not ready', problems: { custody: 'its database takes no writes' } }]
  await setReadOnly('on')
  await expect.poll(ask).toEqual(stuck)
  await setReadOnly('off')
  await expect.poll(ask).toEqual([200, { status: 'ready' }])
  await store.close()
  await database.close()
  const lost = [503, { status: 'not ready', problems: { custody: 'its database does not respond' } }]
  await expect.poll(ask).toEqual(lost)
  readiness.drain()
  expect(await ask()).toEqual([503, { status: 'not ready', problems: { server: 'is ending' } }])
})

test('reports a proxy whose client addresses it cannot read', async () => {
  const all = await startAllRoles()
  const server = await all.start(['signer-api'], { trustedProxies: 1 })
  const readyz = async () => (await server.fetch(new Request('https://any.example/readyz'))).json()
  const ask = (address: string) =>
    server.fetch(new Request('https://any.example/signer/v1/lookup', { headers: { 'x-forwarded-for': address } }))
  await ask('203.0.113.7:51000')
  expect(await readyz()).not.toHaveProperty('lacking.server')
  await ask('unknown')
  expect(await readyz()).toHaveProperty('lacking.server', copyProblems.proxy)
  await server.close()
  await all.close()
})
