import { findLosses } from '@latchkey/testkit/faults/findLosses'
import { exportWallet, send, signHash, signUp, untilIncluded } from '@latchkey/testkit/faults/person'
import { type FaultDevnet, type Pooler, startFaultDevnet } from '@latchkey/testkit/faults/startFaultDevnet'
import { poolSize, startPgBouncer } from '@latchkey/testkit/faults/startPgBouncer'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../packages/server/src/platform/database/openStore.ts'

/**
 * All roles connect through PgBouncer in transaction mode, which has fewer sessions than the roles have connections.
 */
let devnet: FaultDevnet
let pooler: Pooler
beforeAll(async () => {
  devnet = await startFaultDevnet({
    async startPooler(database) {
      pooler = await startPgBouncer(database)
      return pooler
    },
  })
})
afterAll(() => devnet?.close())

test('signs up, signs, exports and sends through the pooler', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => signUp(devnet)))
  const [first, second] = people
  if (!first || !second) return expect.unreachable()
  const signed = await Promise.all(
    people.flatMap((person) => ['a', 'b'].map((text) => signHash(devnet, person, hashMessage(text)))),
  )
  expect(new Set(signed).size).toBe(8)
  await exportWallet(devnet, first)
  for (const version of ['0.6.0', '0.7.0'] as const) await untilIncluded(devnet, await send(devnet, second, version))
  expect(await findLosses(devnet, { exports: 1, signatures: signed.length + 2 })).toEqual([])
  for (const { name, output } of Object.values(devnet.roles))
    expect(output().match(/prepared statement|startup parameter|"level":(?:"error"|50)/g) ?? [], name).toEqual([])
})

test('shares few sessions among many connections', async () => {
  const store = await openStore({ databaseUrl: asCustody(), directHost: new URL(devnet.database.url).host })
  try {
    const read = 'select pg_backend_pid() as pid, pg_sleep(0.01)'
    const results = await Promise.all(Array.from({ length: 40 }, () => store.pool.query<{ pid: number }>(read)))
    const rows = results.flatMap(({ rows }) => rows)
    expect(new Set(rows.map(({ pid }) => pid)).size).toBeLessThanOrEqual(poolSize)
  } finally {
    await store.close()
  }
})

test('refuses a pooler that is not configured as one', async () => {
  await expect(openStore({ databaseUrl: asCustody() })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringContaining('is a pooler: add LATCHKEY_DATABASE_DIRECT_HOST'),
  })
})

test('refuses a direct host that is the pooler itself', async () => {
  const directHost = new URL(pooler.url).host
  await expect(openStore({ databaseUrl: asCustody(), directHost })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringContaining('is a pooler'),
  })
})

/** Returns a URL for custody's database user. Only the users of roles have statement timeouts. */
function asCustody(): string {
  const url = new URL(pooler.url)
  url.username = 'latchkey_custody'
  return url.href
}
