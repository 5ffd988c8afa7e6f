import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePorts } from '@latchkey/testkit/run/onFreePorts'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { startWebhookReceiver } from '@latchkey/testkit/webhookReceiver'
import { verifyWebhook } from 'latchkey/webhooks'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { removeData } from '../database/dataLocation.ts'
import type { DevError } from '../errors.ts'
import { type Devnet, startDevnet } from './devnet.ts'
import { portCount } from './devnetPorts.ts'
import { freePorts, isPortFree } from './freePorts.ts'

const cleanups: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  chmodSync(path, 0o711)
  cleanups.push(() => {
    removeData(path)
    rmSync(path, { recursive: true, force: true })
  })
  return path
}

async function start(options: startDevnet.Options): Promise<Devnet> {
  const startOn = (portBase: number) => startDevnet({ example: false, portBase, ...options })
  const devnet = await (options.portBase === undefined ? onFreePorts(portCount, startOn) : startOn(options.portBase))
  cleanups.push(() => devnet.close())
  return devnet
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(60_000) }).then(
    () => true,
    () => false,
  )
}

test('starts every part and ends all of them', async () => {
  const devnet = await start({ dataDir: folder() })
  for (const [name, url] of Object.entries(devnet.urls)) {
    // Without the example wallet, no server listens on its port.
    expect([name, await answers(url)]).toEqual([name, name !== 'wallet'])
  }
  const config = await (await fetch(`${devnet.urls.signerApi}/signer/v1/config`)).json()
  for (const url of [devnet.urls.exportFrame, devnet.urls.importFrame]) {
    expect(await (await fetch(url)).text()).toMatch(/latchkey-bundle-signing-key" content="04[0-9a-f]{128}"/)
  }
  expect(config).toMatchObject({ rootOrgId: devnet.rootOrganizationId, authFrameUrl: devnet.urls.authFrame })
  const ask = (secret: string) =>
    fetch(`${devnet.urls.admin}/projects/dev/policies`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await ask(devnet.apiKey)).status).toBe(401)
  expect(await (await ask(devnet.operatorSecret)).json()).toMatchObject({
    items: ['00000000-0000-4000-8000-000000000001', 'default'].map((id) => ({ id, source: 'file' })),
  })
  await devnet.close()
  for (const [name, url] of Object.entries(devnet.urls)) expect([name, await answers(url)]).toEqual([name, false])
})

test('prefers codes of six digits on request', async () => {
  const devnet = await start({ prefersCodes: true })
  const asked = { method: 'POST', headers: { authorization: `Bearer ${devnet.apiKey}` }, body: '{}' }
  const config = await (await fetch(`${devnet.urls.signerApi}/signer/v1/signer-config`, asked)).json()
  expect(config).toEqual({ email: { mode: 'OTP' } })
  await devnet.close()
})

test('resumes secrets and chain, and forgets them with `fresh`', async () => {
  const dataDir = folder()
  const first = await start({ dataDir })
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
  await rpc(first, 'anvil_setBalance', ['0x00000000000000000000000000000000000000aa', '0x7'])
  await rpc(first, 'anvil_mine', ['0x1'])
  await first.close()
  expect(existsSync(join(dataDir, 'lock'))).toBe(false)

  const second = await start({ dataDir })
  expect(second.rootOrganizationId).toBe(first.rootOrganizationId)
  expect(await balanceOfAa(second)).toBe('0x7')
  await second.close()

  const third = await start({ dataDir, fresh: true })
  expect(third.rootOrganizationId).not.toBe(first.rootOrganizationId)
  expect(await balanceOfAa(third)).toBe('0x0')
})

test('ends in order when PostgreSQL dies', async () => {
  const crashes: DevError[] = []
  const dataDir = folder()
  const devnet = await start({ dataDir, onCrash: (error) => crashes.push(error) })
  const location = join(dataDir, 'postgres', 'postmaster.pid')
  process.kill(Number(readFileSync(location, 'utf8').split('\n')[0]), 'SIGKILL')
  await expect.poll(() => crashes.map(({ code }) => code)).toEqual(['CHILD_EXITED'])
  expect(crashes[0]?.message).toContain('PostgreSQL ended by SIGKILL')
  for (const [name, url] of Object.entries(devnet.urls)) expect([name, await answers(url)]).toEqual([name, false])
  await start({ dataDir })
})

test('interrupts and restores a part without a crash', async () => {
  const crashes: DevError[] = []
  const devnet = await start({ dataDir: folder(), onCrash: (error) => crashes.push(error) })
  for (const [part, url] of [
    ['bundler', devnet.urls.bundler],
    ['signerApi', `${devnet.urls.signerApi}/signer/v1/config`],
    ['custody', devnet.urls.custody],
    ['authFrame', devnet.urls.authFrame],
    ['exportFrame', devnet.urls.exportFrame],
    ['importFrame', devnet.urls.importFrame],
  ] as const) {
    const bringBack = await devnet.interrupt(part)
    expect([part, await answers(url)]).toEqual([part, false])
    await bringBack()
    expect([part, await answers(url)]).toEqual([part, true])
  }
  expect(crashes).toEqual([])
})

test('registers apps and delivers webhooks', async () => {
  const receiver = await startWebhookReceiver()
  cleanups.push(receiver.close)
  const appUrls = ['http://localhost:8123/login']
  const devnet = await start({ dataDir: folder(), appUrls, webhookUrl: receiver.url })
  expect(devnet.apiKey).toBe('latchkey-dev')
  const allowed = async (origin: string): Promise<boolean> => {
    const headers = { origin, 'content-type': 'application/json', authorization: `Bearer ${devnet.apiKey}` }
    const body = JSON.stringify({ email: 'nobody@example.com' })
    const url = `${devnet.urls.signerApi}/signer/v1/lookup`
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) })
    const policy = (await fetch(devnet.urls.authFrame)).headers.get('content-security-policy')?.split(' ') ?? []
    expect(policy.includes(origin)).toBe(answer.headers.get('access-control-allow-origin') === origin)
    return answer.status === 200
  }
  for (const origin of [
    'http://localhost:8123',
    'http://localhost:5173',
    'http://localhost:3000',
    devnet.urls.wallet,
  ]) {
    expect([origin, await allowed(origin)]).toEqual([origin, true])
  }
  for (const origin of ['http://localhost:8124', 'http://127.0.0.1:5173', 'https://localhost:5173']) {
    expect([origin, await allowed(origin)]).toEqual([origin, false])
  }
  const { targetPublicKey } = await createTestFrame()
  const signedUp = await fetch(`${devnet.urls.signerApi}/signer/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${devnet.apiKey}` },
    body: JSON.stringify({ email: 'ada@example.com', targetPublicKey }),
  })
  const { orgId } = (await signedUp.json()) as { orgId: string }
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1)
  const [webhook] = receiver.received
  const event = webhook && (await verifyWebhook({ ...webhook, secret: devnet.webhookSecret }))
  expect(event).toMatchObject({ type: 'user.created', projectId: 'dev', data: { organizationId: orgId } })
})

test('uses a running node with its chain id and starts none', async () => {
  const host = await start({ dataDir: folder(), chainId: 4242 })
  const guest = await start({ dataDir: folder(), rpcUrl: host.urls.node })
  expect(guest.urls.node).toBe(host.urls.node)
  expect(guest.chainId).toBe(4242)
  await guest.close()
  expect(await rpc(host, 'eth_chainId')).toBe('0x1092')
})

test('names a taken port and its purpose before anything starts', async () => {
  const portBase = await freePorts(portCount)
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(portBase + 9, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => holder.close(() => resolve())))
  const dataDir = folder()
  await expect(start({ dataDir, portBase })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: expect.stringMatching(
      new RegExp(`Port ${portBase + 9}, for the chain node \\(anvil\\), is taken.*--port-base`, 's'),
    ),
  })
  expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false)
  expect(existsSync(join(dataDir, 'lock'))).toBe(false)
})

test('refuses a second instance on the same folder', async () => {
  const dataDir = folder()
  const first = await start({ dataDir })
  await expect(start({ dataDir })).rejects.toMatchObject({
    code: 'DATA_DIR_TAKEN',
    message: expect.stringContaining('--data-dir'),
  })
  expect(await answers(first.urls.node)).toBe(true)
})

test('leaves nothing behind after an aborted start', async () => {
  const dataDir = folder()
  const portBase = await freePorts(portCount)
  const abort = new AbortController()
  const starting = start({ dataDir, portBase, signal: abort.signal, log: () => abort.abort() })
  await expect(starting).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await allFree(portBase)).toBe(true)
  expect(readdirSync(dataDir).filter((name) => !['secrets.json', 'chain', 'postgres'].includes(name))).toEqual([])
})

async function allFree(base: number): Promise<boolean> {
  for (let port = base; port < base + portCount; port++) if (!(await isPortFree(port))) return false
  return true
}

async function rpc(devnet: Devnet, method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(devnet.urls.node, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

function balanceOfAa(devnet: Devnet): Promise<unknown> {
  return rpc(devnet, 'eth_getBalance', ['0x00000000000000000000000000000000000000aa', 'latest'])
}

test('moves the clock of database, server and chain, and keeps it after a restart', async () => {
  const dataDir = folder()
  const first = await start({ dataDir })
  const readBlock = async (devnet: Devnet) => {
    const block = (await rpc(devnet, 'eth_getBlockByNumber', ['latest', false])) as { timestamp: string }
    return Number(block.timestamp)
  }
  const before = await readBlock(first)
  await first.clock.advance('16m')
  await first.clock.advance(60_000)
  expect(first.clock.now() - Date.now()).toBeGreaterThan(1_019_000)
  expect((await readBlock(first)) - before).toBeGreaterThanOrEqual(1_020)
  const client = new pg.Client(first.databaseUrl)
  await client.connect()
  const { rows } = await client.query('select extract(epoch from latchkey_now() - now())::float8 as ahead')
  expect(rows[0].ahead).toBeGreaterThan(1_019)
  await client.end()
  for (const by of ['16', 'soon', '', -5, 0])
    await expect(first.clock.advance(by)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  await first.close()
  const second = await start({ dataDir })
  expect(second.clock.now() - Date.now()).toBeGreaterThan(1_019_000)
})
