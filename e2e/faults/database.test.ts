import { findLosses } from '@latchkey/testkit/faults/findLosses'
import {
  type Person,
  post,
  send,
  signHash,
  signUp,
  stampedSigning,
  untilIncluded,
} from '@latchkey/testkit/faults/person'
import { type FaultDevnet, roleNames, startFaultDevnet } from '@latchkey/testkit/faults/startFaultDevnet'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { custodyPaths } from 'latchkey-protocol'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** PostgreSQL and clocks fail while users sign up, sign and send. */
let devnet: FaultDevnet
let person: Person
let signatures = 0
beforeAll(async () => {
  devnet = await startFaultDevnet()
  person = await signUp(devnet)
})
afterAll(() => devnet?.close())

async function runFlows(): Promise<void> {
  signatures += 2
  await Promise.all([
    signUp(devnet),
    signHash(devnet, person, hashMessage(`signature ${String(signatures)}`)),
    send(devnet, person, '0.7.0').then((hash) => untilIncluded(devnet, hash)),
  ])
}

/** Signs once without retries. */
async function probe() {
  const { body, headers } = stampedSigning(person, hashMessage('probe'))
  const reply = await post(`${devnet.ways.custody.url}${custodyPaths.signRawPayload}`, body, headers)
  if (reply?.status === 200) signatures++
  return { status: reply?.status, code: reply?.json.details?.[0]?.turnkeyErrorCode }
}

const readyz = async () => {
  const response = await fetch(`${devnet.roles.custody.url}/readyz`)
  return { status: response.status, text: await response.text() }
}

/** Waits until the line is logged. The first refusals after a fault may have other causes. */
async function untilPrinted(line: string | RegExp, since = 0): Promise<void> {
  const isPrinted = async () => {
    await probe()
    return devnet.roles.custody.output().slice(since)
  }
  await expect.poll(isPrinted).toMatch(line)
}

const endSessions = "select pg_terminate_backend(pid) from pg_stat_activity where usename <> 'latchkey'"

async function during(begin: () => Promise<unknown>, meanwhile: () => Promise<void>, end: () => Promise<unknown>) {
  await begin()
  const flows = runFlows()
  flows.catch(() => undefined)
  try {
    await meanwhile()
  } finally {
    await end()
  }
  await flows
  // A role may have been restarted.
  await devnet.ready()
  await expect.poll(async () => (await readyz()).status).toBe(200)
}

const unreachable = { status: 503, code: 'DATABASE_UNREACHABLE' }

test('survives a restart and a kill of PostgreSQL', async () => {
  for (const how of ['stop', 'kill'] as const) {
    const flows = runFlows()
    flows.catch(() => undefined)
    await devnet.database.restart(how, async () => {
      await expect.poll(probe).toEqual(unreachable)
      await expect.poll(async () => (await readyz()).status).toBe(503)
    })
    await flows
    await devnet.ready()
  }
  await expect.poll(devnet.roles.custody.output).toContain('"msg":"The database does not answer"')
  expect(await devnet.roles.custody.readMetric('latchkey_errors_total', 'DATABASE_UNREACHABLE')).toBeGreaterThan(0)
})

test('survives a slow PostgreSQL and a table lock', async () => {
  devnet.database.setDelay(100)
  try {
    await runFlows()
  } finally {
    devnet.database.setDelay(0)
  }
  const store = await devnet.database.open()
  try {
    const locked = await store.pool.connect()
    await during(
      () => locked.query('begin').then(() => locked.query('lock table activities in access exclusive mode')),
      () => expect.poll(probe).toEqual({ status: 503, code: 'DATABASE_BUSY' }),
      () => locked.query('rollback').then(() => locked.release()),
    )
  } finally {
    await store.close()
  }
  await expect.poll(devnet.roles.custody.output).toContain('"msg":"The database is too busy"')
})

test('reports a read-only PostgreSQL and recovers', async () => {
  await during(
    () => devnet.database.run('alter database latchkey set default_transaction_read_only = on', endSessions),
    async () => {
      await expect.poll(probe).toEqual(unreachable)
      await expect.poll(readyz).toMatchObject({ status: 503, text: expect.stringContaining('takes no writes') })
      await untilPrinted('"msg":"The database takes no writes"')
    },
    // Leaves existing sessions open, because roles must themselves drop connections to a read-only server.
    () =>
      devnet.database.run(
        'set default_transaction_read_only = off',
        'alter database latchkey set default_transaction_read_only = off',
      ),
  )
})

test('reports a PostgreSQL without free connections and recovers', async () => {
  const users = roleNames.map((name) => new URL(asRole(devnet.database.url, name)).username)
  const limit = (count: number) => users.map((user) => `alter role ${user} connection limit ${String(count)}`)
  await during(
    () => devnet.database.run(...limit(0), endSessions),
    async () => {
      await expect.poll(probe).toEqual(unreachable)
      await untilPrinted('(53300): ')
    },
    () => devnet.database.run(...limit(-1)),
  )
})

test('reports a full disk of PostgreSQL and recovers', async () => {
  const { disk } = devnet.database
  console.info(disk.isOwn ? 'The disk is a tmpfs of its own.' : 'No mount here: 53100 is raised, and no disk is full.')
  const raise = [
    `create function no_room() returns trigger language plpgsql as $$ begin
      raise exception 'No space left on device' using errcode = '53100'; end $$`,
    'create trigger no_room before insert on activities execute function no_room()',
  ]
  const before = devnet.roles.custody.output().length
  await during(
    async () => (disk.isOwn ? disk.fill() : devnet.database.run(...raise)),
    async () => {
      // Existing table pages have room for more rows for a while.
      await expect.poll(async () => (await probe()).status, { interval: 5 }).toBe(503)
      // If PostgreSQL itself stops because the disk is full, the role can only report that the database does not
      // respond.
      await untilPrinted(/\(53100\): |"msg":"The database does not answer"/, before)
    },
    async () => (disk.isOwn ? disk.free() : devnet.database.run('drop function no_room() cascade')),
  )
})

test('refuses requests while the clock of custody is hours off, and recovers', async () => {
  const jumps = [
    [2 * 3_600_000, { status: 401, code: 'API_KEY_EXPIRED' }],
    [-2 * 3_600_000, { status: 400, code: 'REQUEST_INVALID' }],
  ] as const
  for (const [byMs, refusal] of jumps) {
    await devnet.setCustodyClock(byMs)
    expect(await probe()).toEqual(refusal)
    await devnet.setCustodyClock(0)
    await runFlows()
  }
  // The largest difference that custody accepts.
  await devnet.setCustodyClock(60_000)
  await runFlows()
  await devnet.setCustodyClock(0)
})

test("continues on a synchronous standby after the primary's machine is lost", async () => {
  await devnet.database.startStandby()
  const signing = [0, 1, 2].map((index) => signHash(devnet, person, hashMessage(`last of the old ${String(index)}`)))
  signatures += signing.length
  const flows = runFlows()
  flows.catch(() => undefined)
  await devnet.database.failOver(async () => {
    await expect.poll(probe).toEqual(unreachable)
  })
  await Promise.all([flows, ...signing])
  await devnet.ready()
  await expect.poll(async () => (await readyz()).status).toBe(200)
  await runFlows()
})

test('loses, repeats and reveals nothing over all faults above', async () => {
  expect(await findLosses(devnet, { exports: 0, signatures })).toEqual([])
})
