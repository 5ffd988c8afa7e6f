import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCustody } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import { findInTables } from '@latchkey/testkit/findInTables'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { afterAll, expect, test } from 'vitest'
import { verifyLog } from '../custody/audit/verifyLog.ts'
import { readMacKey } from '../custody/macKey.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-users-'))
const custody = await startTestCustody()
const user = await custody.createUser({ email: 'Ada@example.com' })
const other = await custody.createUser()
afterAll(async () => {
  await custody.close()
  rmSync(folder, { recursive: true, force: true })
})

const { whoami } = custodyCalls(() => custody)

async function command(...words: string[]) {
  const lines: string[] = []
  const projects = join(folder, 'projects.json')
  writeFileSync(projects, JSON.stringify(custody.deps.projects))
  const environment = {
    LATCHKEY_MODE: 'development',
    DATABASE_URL: custody.store.databaseUrl,
    LATCHKEY_ROOT_ORGANIZATION_ID: custody.rootOrganizationId,
    LATCHKEY_PROJECTS_FILE: projects,
    LATCHKEY_ROOT_API_PUBLIC_KEY: custody.rootKey.publicKey,
    LATCHKEY_KEY_ENCRYPTION_KEY: custody.keyEncryptionKey,
    LATCHKEY_MAIL_SEAL_KEY: Buffer.from(custody.deps.mailSealKey).toString('hex'),
    LATCHKEY_BUNDLE_SIGNING_KEY: '11'.repeat(32),
    LATCHKEY_AUTH_FRAME_URL: 'http://localhost:4104',
  }
  const print = (text: string) => void lines.push(text)
  const code = await run({ arguments: words, environment, print, stop: new AbortController().signal })
  return { code, text: lines.join('\n') }
}

test('exports everything stored about a user, without keys', async () => {
  const { code, text } = await command('user', 'export', '--email', 'ada@EXAMPLE.com', '--json')
  expect(code).toBe(0)
  const { result } = JSON.parse(text)
  expect(result).toMatchObject({
    organization: { id: user.orgId, parent_id: custody.rootOrganizationId },
    users: [{ id: user.userId, email: 'Ada@example.com' }],
    credentials: [{ kind: 'api_key', public_key: user.key.publicKey }],
    wallets: [{ address: user.address, path: expect.any(String) }],
  })
  expect(text).not.toContain(other.orgId)
  expect(text).not.toContain(other.email)
  expect(text).not.toMatch(/sealed|wrapped|entropy|"mac"/)
})

test('writes --out readable only by its owner and never overwrites', async () => {
  const file = join(folder, 'ada.json')
  const words = ['user', 'export', '--organization', user.orgId, '--out', file]
  expect(await command(...words)).toEqual({ code: 0, text: `Written to ${file}.` })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8')).users).toHaveLength(1)
  expect(await command(...words)).toMatchObject({ code: 1, text: expect.stringContaining('exists already') })
})

test('refuses unknown users, whole parents and malformed ids', async () => {
  for (const [words, said] of [
    [['export'], 'Give --email ADDRESS'],
    [['export', '--email', 'a@b.c', '--organization', user.orgId], 'Give --email ADDRESS'],
    [['export', '--email', '%'], 'No user has this'],
    [['export', '--organization', custody.rootOrganizationId], 'No user has this'],
    [['delete'], '--organization ID'],
    [['delete', '--organization', 'x'], 'must be a UUID'],
    [['delete', '--organization', custody.rootOrganizationId, '--apply'], 'no organization'],
  ] as const) {
    const { code, text } = await command('user', ...words)
    expect([code, text]).toEqual([1, expect.stringContaining(said)])
  }
})

test('deletes a user with grace time and mail, and keeps the log verifiable', async () => {
  const words = ['user', 'delete', '--organization', user.orgId]
  expect((await command(...words)).text).toContain('1 users and 1 wallet accounts')
  expect(await whoami(user.orgId, user.key)).toBe(200)
  const done = await command(...words, '--apply')
  expect(done).toMatchObject({ code: 0, text: expect.stringContaining('until then the user can undo this') })
  expect(await whoami(user.orgId, user.key)).toBe(403)
  expect(await whoami(other.orgId, other.key)).toBe(200)
  expect(await command(...words, '--apply')).toMatchObject({ code: 1, text: expect.stringContaining('It is deleted') })

  const { db, keyEncryption } = custody.deps
  const deletions = db.selectFrom('activities').select('id').where('org_id', '=', user.orgId)
  const deletion = deletions.where('type', '=', 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION')
  const { id } = await deletion.executeTakeFirstOrThrow()
  const macKey = await readMacKey(db, keyEncryption)
  expect((await verifyLog(db, macKey)).bad).toBeUndefined()
  const { to } = await custody.readQueued(id, 'deletion-planned')
  expect(to).toBe('Ada@example.com')
  expect((await custody.decide(id, 'accept', 'deletion-planned')).status).toBe(200)
  expect(await whoami(user.orgId, user.key)).toBe(200)
  expect((await verifyLog(db, macKey)).bad).toBeUndefined()

  expect((await command(...words, '--apply')).code).toBe(0)
  custody.advance(7 * 86_400_000 + 60_000)
  await purgeCustody(custody)
  await custody.store.db.deleteFrom('mail_outbox').where('org_id', '=', user.orgId).execute()
  expect([...(await findInTables(custody.store.pool, ['ada@example.com', user.address.slice(2)])).keys()]).toEqual([])
  const { bad, erased } = await verifyLog(db, macKey)
  expect([bad, erased > 0]).toEqual([undefined, true])
  expect(await command('user', 'export', '--email', 'ada@example.com')).toMatchObject({ code: 1 })
})
