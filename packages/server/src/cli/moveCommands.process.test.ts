import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from './run.ts'

// Two servers of one operator have separate databases and keys; each command runs in its own process.

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const count = 200
const folder = mkdtempSync(join(tmpdir(), 'latchkey-move-'))
const at = (name: string) => join(folder, name)
const project = {
  id: 'moved',
  name: 'Moved',
  apiKey: 'moved-key',
  redirectUrls: ['http://localhost:4100/wallet'],
  allowedOrigins: ['http://localhost:4100'],
  parentCredentials: 'allowed' as const,
  organizationId: randomUUID(),
}
const passkey = createAuthenticator({ origin: 'http://localhost:4100', rpId: 'localhost' })
const users: TestUser[] = []
let stranger: TestUser
let source: TestCustody
let target: TestCustody
let fingerprint = ''
let exported: { sha256: string; closedAt: string }

beforeAll(async () => {
  ;[source, target] = await Promise.all([
    startTestCustody({ projects: [project] }),
    startTestCustody({ projects: [project] }),
  ])
  writeFileSync(at('projects.json'), JSON.stringify([project]))
  stranger = await source.createUser()
  const rootOrganizationId = project.organizationId
  users.push(await source.createUser({ rootOrganizationId, passkeys: [passkey.register()] }))
  const rest = Array.from({ length: count - 1 })
  for (let start = 0; start < rest.length; start += 20)
    users.push(
      ...(await Promise.all(rest.slice(start, start + 20).map(() => source.createUser({ rootOrganizationId })))),
    )
})
afterAll(async () => {
  await source?.close()
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Outcome = { code: number; text: string }

const environmentOf = (custody: TestCustody) => ({
  DATABASE_URL: custody.store.databaseUrl,
  LATCHKEY_KEY_ENCRYPTION_KEY: custody.keyEncryptionKey,
  LATCHKEY_PROJECTS_FILE: at('projects.json'),
})

async function command(custody: TestCustody, words: readonly string[]): Promise<Outcome> {
  const lines: string[] = []
  const print = (text: string) => lines.push(text)
  const stop = new AbortController().signal
  const code = await run({ arguments: [...words], environment: environmentOf(custody), print, stop })
  return { code, text: lines.join('\n') }
}

function ownProcess(custody: TestCustody, words: readonly string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH, ...environmentOf(custody) }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
    )
  })
}

const ticket = ['--ticket', at('ticket')]
const exporting = (out: string, more: readonly string[] = [], execute = command) =>
  execute(source, [
    ...['move', 'export', '--organization', project.organizationId, ...ticket],
    ...['--fingerprint', fingerprint, '--out', at(out), '--json', ...more],
  ])
const importing = (file: string, sha256: string, execute = command) =>
  execute(target, ['move', 'import', at(file), ...ticket, '--sha256', sha256])

const sign = (custody: TestCustody, user: TestUser) =>
  custody.call('submit/sign_raw_payload', custody.signing(user), user.key)

async function readPeople({ store }: TestCustody) {
  const read = async (text: string) => (await store.pool.query(text, [project.organizationId])).rows
  const mine = 'org_id in (select id from organizations where parent_id = $1)'
  return {
    accounts: await read(`select id, org_id, address, public_key, path from wallet_accounts where ${mine} order by id`),
    credentials: await read(
      `select id, user_id, kind, public_key, credential_id, rp_id, counter, expires_at, revoked_at from credentials where ${mine} order by id`,
    ),
    users: await read(`select id, org_id, email, email_verified_at from users where ${mine} order by id`),
    heads: await read(
      `select org_id, seq, encode(hash, 'hex') as hash from activity_log_heads where ${mine} or org_id = $1 order by org_id`,
    ),
  }
}

const countMoved = async () => (await readPeople(target)).users.length

test('keeps keys out of the ticket and refuses another fingerprint', async () => {
  const made = await command(target, ['move', 'ticket', '--out', at('ticket'), '--json'])
  expect(made.code, made.text).toBe(0)
  fingerprint = JSON.parse(made.text).result.fingerprint
  expect((await command(target, ['move', 'ticket', '--out', at('ticket')])).text).toContain('not there yet')
  const refused = await command(source, [
    ...['move', 'export', '--organization', project.organizationId, ...ticket],
    ...['--fingerprint', '0'.repeat(32), '--out', at('none')],
  ])
  expect(refused).toEqual({ code: 1, text: expect.stringContaining('another fingerprint') })
  expect(existsSync(at('none'))).toBe(false)
})

test('moves nothing with a rehearsal', async () => {
  const made = await exporting('rehearsal')
  expect(made.code, made.text).toBe(0)
  const { sha256 } = JSON.parse(made.text).result
  expect((await importing('rehearsal', sha256)).text).toContain('still in use on the other server')
  expect(await countMoved()).toBe(0)
  expect((await sign(source, users[1] ?? stranger)).status).toBe(200)
})

test('reopens the accounts after a failed export', async () => {
  const { code, text } = await exporting('rehearsal', ['--close'])
  expect([code, text]).toEqual([1, expect.stringContaining('exists')])
  // An export refuses a row that custody did not write; otherwise the import would give it a valid MAC.
  const { pool } = source.store
  const change = 'update users set email_claimed = not email_claimed where org_id = $1'
  await pool.query(change, [users[3]?.orgId])
  const forged = await exporting('forged', ['--close'])
  expect([forged.code, forged.text]).toEqual([1, expect.stringContaining('was not written by custody')])
  expect([existsSync(at('forged')), existsSync(at('forged.part'))]).toEqual([false, false])
  await pool.query(change, [users[3]?.orgId])
  expect((await sign(source, users[2] ?? stranger)).status).toBe(200)
})

test('moves two hundred users, whom only the source then refuses', async () => {
  const people = await readPeople(source)
  const made = await exporting('file', ['--close'], ownProcess)
  expect(made.code, made.text).toBe(0)
  exported = JSON.parse(made.text).result
  expect((await sign(source, users[0] ?? stranger)).status).not.toBe(200)
  expect((await sign(source, stranger)).status).toBe(200)
  const bytes = readFileSync(at('file'))
  for (const part of [users[0]?.orgId, users[0]?.address, users[0]?.email])
    expect(bytes.includes(part ?? '')).toBe(false)

  // Nothing is written for a changed file, another hash, or the ticket or keys of another server.
  const flipped = Buffer.from(bytes)
  flipped[bytes.length - 3] = (flipped.at(-3) ?? 0) ^ 1
  writeFileSync(at('flipped'), flipped)
  expect((await importing('flipped', exported.sha256)).text).toContain('another hash')
  expect((await importing('file', '0'.repeat(64))).text).toContain('another hash')
  const stolen = await command(source, ['move', 'import', at('file'), ...ticket, '--sha256', exported.sha256])
  expect(stolen).toEqual({ code: 1, text: expect.stringContaining('another key-encryption key') })
  expect(await countMoved()).toBe(0)

  const moved = await importing('file', exported.sha256, ownProcess)
  expect(moved).toEqual({ code: 0, text: expect.stringContaining(`Imported ${count} accounts`) })
  expect(await readPeople(target)).toEqual(people)
  const verified = await command(target, ['audit', 'verify'])
  expect(verified, verified.text).toMatchObject({ code: 0 })
  for (const user of [users[0], users[100], users.at(-1)]) {
    const signed = await sign(target, user ?? stranger)
    expect(signed.status, JSON.stringify(signed.body)).toBe(200)
    expect((await sign(source, user ?? stranger)).status).not.toBe(200)
  }
  const whoami = JSON.stringify({ organizationId: users[0]?.orgId })
  expect((await target.callByPasskey('query/whoami', whoami, passkey)).status).toBe(200)
  expect((await source.callByPasskey('query/whoami', whoami, passkey)).status).not.toBe(200)
  // The source's key-encryption key cannot open the target's keys.
  const { rows } = await target.store.pool.query('select wrapped_key from wallets limit 1')
  await expect(source.deps.keyEncryption.unwrap(rows[0].wrapped_key, new Uint8Array())).rejects.toThrow('another')
  expect((await importing('file', exported.sha256)).text).toContain('in use on this server already')
  expect(readdirSync(folder).sort()).toEqual(['file', 'flipped', 'projects.json', 'rehearsal', 'ticket'])
})

test('keeps the closed accounts at the source until the operator reopens them', async () => {
  const { rows } = await source.store.pool.query(
    'select count(*)::int as kept from wallets where org_id in (select id from organizations where parent_id = $1)',
    [project.organizationId],
  )
  expect(rows).toEqual([{ kept: count }])
  const words = ['move', 'reopen', '--organization', project.organizationId, '--closed-at']
  const other = new Date(Date.parse(exported.closedAt) + 1).toISOString()
  expect((await command(source, [...words, other])).text).toContain('Reopened 0')
  const opened = await command(source, [...words, exported.closedAt])
  expect(opened).toEqual({ code: 0, text: expect.stringContaining(`Reopened ${count} accounts`) })
  expect((await sign(source, users[0] ?? stranger)).status).toBe(200)
})
