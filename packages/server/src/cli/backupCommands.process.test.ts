import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { custodyApp } from '../custody/app.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { openStore } from '../platform/database/openStore.ts'
import { run } from './run.ts'

const { publicKey, privateKey } = createApiKeyPair()
const folder = mkdtempSync(join(tmpdir(), 'latchkey-backup-'))
const file = join(folder, 'backup')
const headsFile = join(folder, 'heads')
const users: TestUser[] = []
/** Those who signed up around the backup, in their order, and how many had before it began. */
const loaded: TestUser[] = []
let loadedBefore = 0
let custody: TestCustody
let target: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  custody = await startTestCustody()
  target = await startTestDatabase()
  for (let index = 0; index < 3; index++) users.push(await custody.createUser())
})
afterAll(async () => {
  await custody?.close()
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function command(words: string[], more: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const environment = {
    DATABASE_URL: custody.store.databaseUrl,
    LATCHKEY_KEY_ENCRYPTION_KEY: custody.keyEncryptionKey,
    LATCHKEY_BACKUP_PUBLIC_KEY: publicKey,
    ...more,
  }
  const stop = new AbortController().signal
  const code = await run({ arguments: words, environment, print: (text) => lines.push(text), stop })
  return { code, text: lines.join('\n') }
}

const restore = (words: string[], more: Record<string, string> = {}) =>
  command(['restore', ...words], { DATABASE_URL: target.url, LATCHKEY_BACKUP_KEY: privateKey, ...more })

async function countRows(): Promise<number> {
  const store = await openStore({ databaseUrl: target.url, maxConnections: 1 })
  try {
    const { rows } = await store.pool.query<{ count: number }>(
      `select case when to_regclass('activity_log') is null then 0 else
         (xpath('/row/c/text()', query_to_xml('select (select count(*) from activity_log) + (select count(*) from wallets) + (select count(*) from organizations) as c', false, true, '')))[1]::text::int end as count`,
    )
    return rows[0]?.count ?? 0
  } finally {
    await store.close()
  }
}

test('behavior: a backup while people sign up is of one moment, sealed, and overwrites nothing', async () => {
  const heads = await command(['audit', 'heads'])
  writeFileSync(headsFile, heads.text)
  let isOver = false
  const load = (async () => {
    while (!isOver) loaded.push(await custody.createUser())
  })()
  await vi.waitUntil(() => loaded.length > 1, { timeout: 60_000 })
  loadedBefore = loaded.length
  const made = await command(['backup', '--out', file, '--json'])
  isOver = true
  await load
  expect(loaded.length).toBeGreaterThan(loadedBefore)
  expect([made.code, JSON.parse(made.text)]).toEqual([
    0,
    { command: 'backup', ok: true, result: { path: file, tables: expect.any(Number), bytes: statSync(file).size } },
  ])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file).includes(users[0]?.orgId ?? '')).toBe(false)
  const before = readFileSync(file)
  expect(await command(['backup', '--out', file])).toEqual({ code: 1, text: expect.stringContaining('exists') })
  expect(readFileSync(file)).toEqual(before)
  const wrong = await command(['backup', '--out', `${file}2`], { LATCHKEY_BACKUP_PUBLIC_KEY: '02' })
  expect(wrong).toEqual({ code: 1, text: expect.stringContaining('must be a point of P-256') })
  expect(readdirSync(folder).sort()).toEqual(['backup', 'heads'])
})

test('error: another key, a cut or changed file, heads that it lacks, no word on heads: nothing is written', async () => {
  const bytes = readFileSync(file)
  const damaged = join(folder, 'damaged')
  const flipped = Buffer.from(bytes)
  flipped[bytes.length - 3] = (flipped.at(-3) ?? 0) ^ 1
  // The last message is `end` with `{}`: 4 + 3 + 16 bytes. Without it the file is cut where a message ends.
  for (const content of [flipped, bytes.subarray(0, -1), bytes.subarray(0, -23)]) {
    writeFileSync(damaged, content)
    expect(await restore([damaged, '--without-heads'])).toEqual({ code: 1, text: expect.stringMatching(/cut off/) })
    expect(await countRows()).toBe(0)
  }
  const other = { LATCHKEY_BACKUP_KEY: createApiKeyPair().privateKey }
  expect((await restore([file, '--heads', headsFile], other)).text).toContain('is not its key')
  const wrapping = { LATCHKEY_KEY_ENCRYPTION_KEY: createApiKeyPair().privateKey }
  expect((await restore([file, '--heads', headsFile], wrapping)).text).toContain(
    'wrapped by another key-encryption key',
  )
  expect(await countRows()).toBe(0)
  // The server went on after the backup, so its ends of now are not in it.
  await custody.createUser()
  const later = join(folder, 'later')
  writeFileSync(later, (await command(['audit', 'heads'])).text)
  const contradicted = await restore([file, '--heads', later])
  expect(contradicted).toEqual({ code: 1, text: expect.stringContaining('Nothing was restored.') })
  expect(await countRows()).toBe(0)
  expect((await restore([file])).text).toContain('Give --heads FILE')
  expect((await restore([file, '--heads', headsFile, '--without-heads'])).text).toContain('Give --heads FILE')
  expect((await restore([join(folder, 'none'), '--without-heads'])).text).toContain('cannot be read')
  expect((await restore([headsFile, '--without-heads'])).text).toContain('This is no backup')
})

/** A backup of the database while a statement of its owner holds, past triggers. */
async function backUpChanged(name: string, change: string, undo: string): Promise<string> {
  const path = join(folder, name)
  const client = await custody.store.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query(change)
    expect((await command(['backup', '--out', path])).code).toBe(0)
    await client.query(undo)
  } finally {
    // Not for others: it is without triggers.
    client.release(true)
  }
  return path
}

test('error: another schema, older or changed, and a log that was changed before the backup', async () => {
  const last = '(select max(name) from kysely_migration)'
  const older = await backUpChanged(
    'older',
    `create table put_aside as select * from kysely_migration where name = ${last}; delete from kysely_migration where name = ${last}`,
    'insert into kysely_migration select * from put_aside; drop table put_aside',
  )
  const wider = await backUpChanged(
    'wider',
    'alter table projects add column later text',
    'alter table projects drop column later',
  )
  for (const path of [older, wider]) {
    const { code, text } = await restore([path, '--heads', headsFile])
    expect([code, text]).toEqual([1, expect.stringContaining('with the release that made it, then upgrade')])
    expect(await countRows()).toBe(0)
  }
  const changed = await backUpChanged(
    'changed',
    "update activity_log set type = type || 'X' where seq = 2",
    "update activity_log set type = rtrim(type, 'X') where seq = 2",
  )
  for (const words of [['--heads', headsFile], ['--without-heads']]) {
    const { code, text } = await restore([changed, ...words])
    expect([code, text]).toEqual([1, expect.stringMatching(/organization [0-9a-f-]{36}\. .*Nothing was restored/)])
    expect(await countRows()).toBe(0)
  }
  expect((await command(['audit', 'verify', '--heads', headsFile])).code).toBe(0)
})

test('default: what was restored signs, its log is whole, and it is not written over', async () => {
  const restored = await restore([file, '--heads', headsFile])
  expect(restored).toEqual({
    code: 0,
    text: expect.stringMatching(/^Restored \d+ tables; the log is whole: \d+ entries/),
  })
  const verified = await command(['audit', 'verify', '--heads', headsFile], { DATABASE_URL: target.url })
  expect(verified).toEqual({ code: 0, text: expect.stringContaining('The log is whole') })
  const store = await openStore({ databaseUrl: target.url })
  try {
    const app = await custodyApp({ ...custody.deps, db: store.db })
    const sign = (user: TestUser) => {
      const body = JSON.stringify(custody.signing(user))
      const headers = { 'x-stamp': createStamp(body, user.key).stampHeaderValue }
      return app.request('/public/v1/submit/sign_raw_payload', { method: 'POST', body, headers })
    }
    for (const user of users) expect((await sign(user)).status).toBe(200)
    // Of those who signed up meanwhile, all of before are there, and each is there whole or not at all.
    const { rows } = await store.pool.query<{ id: string }>('select id from organizations')
    const restoredIds = new Set(rows.map(({ id }) => id))
    for (const [index, user] of loaded.entries()) {
      const isThere = restoredIds.has(user.orgId)
      if (index < loadedBefore) expect(isThere).toBe(true)
      expect((await sign(user)).status === 200, `${index} of ${loaded.length}`).toBe(isThere)
    }
    // What keeps the log append-only is back.
    await expect(store.pool.query('delete from activity_log')).rejects.toThrow()
  } finally {
    await store.close()
  }
  const again = await restore([file, '--heads', headsFile])
  expect(again).toEqual({ code: 1, text: expect.stringContaining('The database is not empty') })
  expect(existsSync(`${file}.part`)).toBe(false)
})
