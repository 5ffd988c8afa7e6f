import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Person, signHash, signUp } from '@latchkey/testkit/faults/person'
import { type Server, startServer } from '@latchkey/testkit/faults/startServer'
import { type DebianPostgres, findPrograms, prepareDebianPostgres } from '@latchkey/testkit/run/debianPostgres'
import { hashMessage, recoverAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../packages/dev/src/devnet/freePorts.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'

/** Runs the commands of docs/operate/backup.md in order. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const [makeKey = '', backUp = '', restore = ''] = [
  ...readFileSync(join(root, 'docs/operate/backup.md'), 'utf8').matchAll(
    /<!-- run by e2e\/database\/backup\.test\.ts -->\n```sh\n([\s\S]*?)```/g,
  ),
].map(([, script = '']) => script)
const password = 'p'

let folder: string
let postgres: DebianPostgres
let running: Awaited<ReturnType<DebianPostgres['start']>>
let port: number
let server: Server
const people: Person[] = []
const urlOf = (database: string) => `postgres://latchkey:${password}@127.0.0.1:${String(port)}/${database}`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-backup-'))
  chmodSync(folder, 0o711)
  postgres = await prepareDebianPostgres(folder, password)
  const data = join(postgres.home, 'data')
  await postgres.create(data)
  port = await freePorts(1)
  running = await postgres.start(data, port)
  for (const name of ['latchkey', 'older', 'restored', 'drilled'])
    await postgres.query(port, `create database ${name}`, 'postgres')
  await migrate({ databaseUrl: urlOf('latchkey') })
  server = await startServer({ databaseUrl: urlOf('latchkey'), folder })
  mkdirSync(join(folder, 'bin'))
  const program = join(root, 'packages/server/dist/cli/main.js')
  writeFileSync(join(folder, 'bin/latchkey-server'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(join(folder, 'bin/latchkey-server'), 0o755)
})
afterAll(async () => {
  await server?.close()
  await running?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function shell(script: string, databaseUrl = urlOf('latchkey')): Promise<{ code: number; output: string }> {
  const path = [join(folder, 'bin'), dirname(process.env.AGE_PATH ?? ''), findPrograms().bin, process.env.PATH]
  const env = {
    ...server.environment,
    PATH: path.join(delimiter),
    LANG: 'C',
    OWNER_DATABASE_URL: urlOf('latchkey'),
    DATABASE_URL: databaseUrl,
  }
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], {
      cwd: folder,
      env,
      timeout: 120_000,
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}

async function signAll(place: Server['place']): Promise<void> {
  for (const person of people) {
    const hash = hashMessage(`${person.email} signs`)
    expect(await recoverAddress({ hash, signature: await signHash(place, person, hash) })).toBe(person.address)
  }
}

test('encrypts a dump, and refuses one older than the heads after its restore', async () => {
  expect((await shell(makeKey)).code).toBe(0)
  people.push(await signUp(server.place), await signUp(server.place))
  expect(await shell(backUp)).toMatchObject({ code: 0 })
  const sealed = readFileSync(join(folder, 'backup.age'))
  for (const { orgId, email } of people) for (const text of [orgId, email]) expect(sealed.includes(text)).toBe(false)
  copyFileSync(join(folder, 'backup.age'), join(folder, 'older.age'))

  people.push(await signUp(server.place))
  await signAll(server.place)
  expect(await shell(backUp)).toMatchObject({ code: 0 })
  const older = await shell(restore.replace('backup.age', 'older.age'), urlOf('older'))
  expect(older).toMatchObject({ code: 1, output: expect.stringMatching(/organization [0-9a-f-]{36}/) })
})

test('writes nothing from a truncated dump', async () => {
  const whole = readFileSync(join(folder, 'backup.age'))
  writeFileSync(join(folder, 'cut.age'), whole.subarray(0, -100))
  const cut = await shell(restore.replace('backup.age', 'cut.age'), urlOf('restored'))
  expect(cut.code).not.toBe(0)
  expect(await postgres.query(port, "select to_regclass('wallets') is null", 'restored')).toBe('t')
})

test('restores a dump that passes the audit, and every wallet signs on the restored server', async () => {
  const restored = await shell(restore, urlOf('restored'))
  expect(restored).toEqual({ code: 0, output: expect.stringContaining('The log is intact') })
  const { DATABASE_URL: _, ...keys } = server.environment
  const copy = await startServer({ databaseUrl: urlOf('restored'), folder, keys })
  try {
    await signAll(copy.place)
    const newcomer = await signUp(copy.place)
    expect(people.map(({ orgId }) => orgId)).not.toContain(newcomer.orgId)
    expect(await shell('latchkey-server audit verify', urlOf('restored'))).toMatchObject({ code: 0 })
    await expect(postgres.query(port, 'delete from activity_log', 'restored')).rejects.toThrow()
  } finally {
    await copy.close()
  }
})

test('runs the drill on an empty database, and on no other', async () => {
  const drill = `bash ${join(root, 'deploy/backup/drill.sh')} backup.age backup.key heads`
  const done = await shell(drill, urlOf('drilled'))
  expect(done).toEqual({ code: 0, output: expect.stringMatching(/Restored 3 wallets in \d+ s\./) })
  for (const check of ['schema', 'key encryption', 'stored keys'])
    expect(done.output).toMatch(new RegExp(`^ok +${check} `, 'm'))
  const again = await shell(drill, urlOf('drilled'))
  expect(again).toEqual({ code: 2, output: expect.stringContaining('is not empty') })
  await postgres.query(port, 'create database unreadable', 'postgres')
  const otherKey = `export LATCHKEY_KEY_ENCRYPTION_KEY=${'ab'.repeat(32)}`
  const lost = await shell(`${otherKey}\n${drill}`, urlOf('unreadable'))
  expect(lost).toEqual({ code: 1, output: expect.not.stringContaining('Restored') })
})
