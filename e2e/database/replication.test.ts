import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Person, signHash, signUp } from '@latchkey/testkit/faults/person'
import { type Patroni, startPatroni } from '@latchkey/testkit/faults/startPatroni'
import { type Server, startServer } from '@latchkey/testkit/faults/startServer'
import { hashMessage, recoverAddress } from 'viem'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { openStore } from '../../packages/server/src/platform/database/openStore.ts'

/** Patroni promotes a synchronous standby while people sign up and sign. The server runs in a process of its own. */
const program = fileURLToPath(new URL('../../packages/server/dist/cli/main.js', import.meta.url))
const signers = 4

let folder: string
let database: Patroni
let server: Server
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-replicated-'))
  database = await startPatroni()
  await migrate({ databaseUrl: database.url })
  server = await startServer({ databaseUrl: database.url, folder })
})
afterAll(async () => {
  await server?.close()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('promotes the standby after the primary is killed, and loses or repeats nothing acknowledged', async () => {
  onTestFailed(() => console.error(server.output().slice(-20_000)))
  const { place, environment } = server
  const people: Person[] = await Promise.all(Array.from({ length: signers }, () => signUp(place)))
  const ending = new AbortController()
  let signatures = 0
  /** A request without a response is sent again with the same bytes. */
  async function keepSigning(person: Person): Promise<void> {
    while (!ending.signal.aborted) {
      const hash = hashMessage(`${person.email} ${String(signatures++)}`)
      expect(await recoverAddress({ hash, signature: await signHash(place, person, hash) })).toBe(person.address)
    }
  }
  const newcomers: Person[] = []
  async function keepSigningUp(): Promise<void> {
    while (!ending.signal.aborted) newcomers.push(await signUp(place))
  }
  const work = Promise.all([...people.map(keepSigning), keepSigningUp()])
  await setTimeout(2_000)
  const before = signatures
  const tookMs = await database.failOver()
  await expect.poll(() => signatures, { timeout: 90_000 }).toBeGreaterThan(before + 2 * signers)
  ending.abort()
  await work

  for (const person of [...people, ...newcomers]) {
    await signHash(place, person, hashMessage('after'))
    signatures++
  }
  const store = await openStore({ databaseUrl: database.url })
  const { rows } = await store.pool.query<{ made: number }>(
    "select count(*)::int as made from activities where type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
  )
  await store.close()
  expect(rows).toEqual([{ made: signatures }])
  await promisify(execFile)(process.execPath, [program, 'audit', 'verify'], { env: environment })
  console.info(
    `PostgreSQL ${database.version}: ${String(before)} signatures before, ${String(signatures - before)} after, ` +
      `${String(newcomers.length)} sign-ups beside them; promoted in ${String(Math.round(tookMs))} ms`,
  )
})
