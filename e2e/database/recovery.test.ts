import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Person, signHash, signUp } from '@latchkey/testkit/faults/person'
import { type Server, startServer } from '@latchkey/testkit/faults/startServer'
import { type DebianPostgres, prepareDebianPostgres } from '@latchkey/testkit/run/debianPostgres'
import { freePorts } from 'latchkey-dev/testing'
import { hashMessage, recoverAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUser } from '../../packages/dev/src/database/databaseUser.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'

/** Runs the commands of docs/operate/backup.md in order, with Debian's pgBackRest and the files of deploy/backup. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'packages/server/dist/cli/main.js')
const [setUp = '', restore = ''] = [
  ...readFileSync(join(root, 'docs/operate/backup.md'), 'utf8').matchAll(
    /<!-- run by e2e\/database\/recovery\.test\.ts -->\n```sh\n([\s\S]*?)```/g,
  ),
].map(([, script = '']) => script)
const password = 'p'
const user = databaseUser()

let folder: string
let postgres: DebianPostgres
let running: Awaited<ReturnType<DebianPostgres['start']>>
let restored: Awaited<ReturnType<DebianPostgres['start']>> | undefined
let port: number
let server: Server

const urlAt = (at: number) => `postgres://latchkey:${password}@127.0.0.1:${String(at)}/latchkey`
const own = (path: string) => user && chownSync(path, user.uid, user.gid)

/** Reads settings of deploy/backup/postgresql.conf. */
function archiving(): Record<string, string> {
  const text = readFileSync(join(root, 'deploy/backup/postgresql.conf'), 'utf8')
  const all = [...text.matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value])
  const { archive_command: command = '', ...more } = Object.fromEntries(all) as Record<string, string>
  return { ...more, archive_command: `${environment()} ${join(folder, 'bin/')}${command}` }
}

/** Returns the test's variables as shell assignments, because the PostgreSQL process starts without them. */
function environment(): string {
  return [`PGBACKREST_CONFIG=${join(folder, 'pgbackrest.conf')}`, `PGPASSWORD=${password}`].join(' ')
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-recovery-'))
  chmodSync(folder, 0o711)
  postgres = await prepareDebianPostgres(folder, password)
  for (const name of ['bin', 'repository', 'socket', 'log', 'lock', 'spool']) {
    mkdirSync(join(folder, name))
    own(join(folder, name))
  }
  // Copies pgBackRest, because the database's user cannot access its installation folder.
  copyFileSync(process.env.PGBACKREST_PATH ?? '', join(folder, 'bin/pgbackrest'))
  chmodSync(join(folder, 'bin/pgbackrest'), 0o755)
  port = await freePorts(2)
  const data = join(postgres.home, 'data')
  const places = ['log', 'lock', 'spool'].map((name) => `${name}-path=${join(folder, name)}\n`).join('')
  const config = readFileSync(join(root, 'deploy/backup/pgbackrest.conf'), 'utf8')
    .replace('/var/lib/pgbackrest', join(folder, 'repository'))
    .replace('/var/lib/postgresql/15/main', data)
    .replace('[global]\n', `[global]\nrepo1-cipher-pass=of-the-test\n${places}`)
  const connection = `pg1-port=${port}\npg1-user=latchkey\npg1-database=postgres\npg1-socket-path=${join(folder, 'socket')}\n`
  writeFileSync(join(folder, 'pgbackrest.conf'), `${config}${connection}`)
  await postgres.create(data)
  running = await postgres.start(data, port, { ...archiving(), unix_socket_directories: join(folder, 'socket') })
  await postgres.query(port, 'create database latchkey', 'postgres')
  await migrate({ databaseUrl: urlAt(port) })
  server = await startServer({ databaseUrl: urlAt(port), folder })
})
afterAll(async () => {
  await server?.close()
  await restored?.close()
  await running?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Runs a script as the database's user. */
async function asPostgres(script: string, more: Record<string, string> = {}): Promise<void> {
  const settings = Object.fromEntries(
    environment()
      .split(' ')
      .map((setting) => setting.split('=') as [string, string]),
  )
  const env = { PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter), LANG: 'C', ...settings, ...more }
  const identity = user && { uid: user.uid, gid: user.gid }
  await promisify(execFile)('bash', ['--norc', '-euc', script], { ...identity, cwd: '/', env, timeout: 120_000 })
}

async function run(words: string[], databaseUrl: string): Promise<string> {
  const env = { ...server.environment, DATABASE_URL: databaseUrl }
  return (await promisify(execFile)(process.execPath, [program, ...words], { env, timeout: 60_000 })).stdout
}

async function signAll(place: Server['place'], people: readonly Person[]): Promise<void> {
  for (const person of people) {
    const hash = hashMessage(`${person.email} signs`)
    expect(await recoverAddress({ hash, signature: await signHash(place, person, hash) })).toBe(person.address)
  }
}

test('goes back to the moment before every wallet was deleted, and all of them sign', async () => {
  await asPostgres(setUp)
  const people = [await signUp(server.place), await signUp(server.place)]
  const heads = join(folder, 'heads')
  writeFileSync(heads, await run(['audit', 'heads'], urlAt(port)))
  people.push(await signUp(server.place))
  const target = await postgres.query(port, 'select clock_timestamp()')
  await postgres.query(port, 'truncate wallets cascade')
  const segment = await postgres.query(port, 'select pg_walfile_name(pg_switch_wal())')
  const isArchived = `select coalesce(max(last_archived_wal), '') >= '${segment}' from pg_stat_archiver`
  await expect.poll(() => postgres.query(port, isArchived)).toBe('t')
  await server.close()
  await running.close()

  const data = join(postgres.home, 'restored')
  mkdirSync(data, { mode: 0o700 })
  own(data)
  await asPostgres(restore, { DATA: data, TARGET: target })
  // The command as pgBackRest wrote it, preceded by the test's settings.
  const fetch = `${environment()} ${join(folder, 'bin/pgbackrest')} --stanza=latchkey --pg1-path=${data} archive-get %f "%p"`
  restored = await postgres.start(data, port + 1, { archive_mode: 'off', restore_command: fetch })
  await expect.poll(() => postgres.query(port + 1, 'select pg_is_in_recovery()')).toBe('f')
  expect(await run(['audit', 'verify', '--heads', heads], urlAt(port + 1))).toContain('The log is intact')
  const { DATABASE_URL: _, ...keys } = server.environment
  server = await startServer({ databaseUrl: urlAt(port + 1), folder, keys })
  await signAll(server.place, people)
})
