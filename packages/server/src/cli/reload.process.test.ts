import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'

/** The installed program, with files mounted as Kubernetes does: a folder behind a symbolic link that is replaced. */
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const rootKey = createApiKeyPair()
const lines: Record<string, unknown>[] = []
let database: Awaited<ReturnType<typeof startTestDatabase>>
let folder: string
let url: string
let child: ChildProcess
beforeAll(async () => {
  database = await startTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'latchkey-test-reload-'))
  const migration = spawn(process.execPath, [program, 'migrate'], { env: { DATABASE_URL: database.url } })
  expect(await once(migration, 'exit')).toEqual([0, null])
  await mount({ projects: [project('first')], chains: chains(1) })
  const port = await freePorts(1)
  url = `http://127.0.0.1:${port}`
  child = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      DATABASE_URL: database.url,
      LATCHKEY_MODE: 'development',
      LATCHKEY_ROLES: 'custody,gateway',
      LATCHKEY_PORT: String(port),
      LATCHKEY_DRAIN_SECONDS: '0',
      LATCHKEY_PROJECTS_FILE: join(folder, 'current', 'projects'),
      LATCHKEY_CHAINS_FILE: join(folder, 'current', 'chains'),
      LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
      LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
      LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
      LATCHKEY_PAYMASTER_KEY: randomBytes(32).toString('hex'),
    },
  })
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new TypeError(`The server ended with code ${code} before it was ready.`)))
    if (!child.stdout) return
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines.at(-1)?.msg === 'Ready') resolve()
    })
  })
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await database?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const project = (id: string) => ({ id, name: id, apiKey: `key-of-${id}`, redirectUrls: [], allowedOrigins: [] })
const chains = (chainId: number) => [{ chainId, nodeUrls: ['http://127.0.0.1:1'], bundlerUrls: ['http://127.0.0.1:1'] }]

async function mount(files: Record<string, unknown>): Promise<void> {
  const version = join(folder, randomUUID())
  await mkdir(version)
  for (const [name, content] of Object.entries(files))
    await writeFile(join(version, name), typeof content === 'string' ? content : JSON.stringify(content))
  await symlink(version, `${version}.link`)
  await rename(`${version}.link`, join(folder, 'current'))
}

const ask = async (key: string) => (await fetch(`${url}/v2/${key}`, { method: 'POST', body: '{}' })).status
const readReady = async () => (await fetch(`${url}/readyz`)).json()
const find = (text: string) => lines.filter(({ msg }) => String(msg).startsWith(text))

test('takes a mounted file that was replaced, and refuses the key that it no longer names', async () => {
  expect([await ask('key-of-first'), await ask('key-of-second')]).toEqual([200, 401])
  await mount({ projects: [project('second')], chains: chains(1) })
  await expect.poll(() => ask('key-of-second')).toBe(200)
  expect(await ask('key-of-first')).toBe(401)
  expect(find('The changed configuration is in use').at(-1)).toMatchObject({
    changed: ['LATCHKEY_PROJECTS_FILE'],
    config: expect.stringMatching(/^[0-9a-f]{12}$/),
  })
})

test('keeps the previous files while a changed one is not valid', async () => {
  const before = lines.length
  await mount({ projects: [{ ...project('second'), apiKey: 7 }], chains: chains(1) })
  await expect.poll(async () => (await readReady()).lacking?.server).toMatch(/^runs its previous configuration/)
  expect(await ask('key-of-second')).toBe(200)
  const refused = lines
    .slice(before)
    .filter(({ msg }) => String(msg).startsWith('The changed configuration was refused'))
  expect(refused).toMatchObject([{ problem: expect.stringContaining('LATCHKEY_PROJECTS_FILE must hold a list') }])
  expect(refused[0]?.problem).toContain('see 0.apiKey')
  await mount({ projects: [project('second')], chains: chains(1) })
  await expect.poll(async () => (await readReady()).lacking?.server).toBeUndefined()
})

test('reads its files on SIGHUP, and says which changed settings need a restart', async () => {
  const before = find('The changed configuration is in use').length
  child.kill('SIGHUP')
  await expect.poll(() => find('The changed configuration is in use').length).toBe(before + 1)
  await mount({ projects: [project('second'), project('third')], chains: chains(2) })
  child.kill('SIGHUP')
  await expect.poll(() => ask('key-of-third')).toBe(200)
  expect(find('Changed settings need a restart').at(-1)).toMatchObject({ settings: ['LATCHKEY_CHAINS_FILE'] })
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})
