import { randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestDatabase } from '@latchkey/testkit/database'
import { startTestSmtp } from '@latchkey/testkit/smtp'
import { entryPoint07Address } from 'viem/account-abstraction'
import { afterAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { framesApp } from '../frames/app.ts'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { listen } from '../platform/http/listen.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import { run } from './run.ts'

/** Responds to `eth_chainId` as a node and to other methods as a bundler. */
const node = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const result = JSON.parse(body).method === 'eth_chainId' ? '0x7a69' : [entryPoint07Address]
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
})
const database = await startTestDatabase()
const smtp = await startTestSmtp()
await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', () => resolve()))
const nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
afterAll(async () => {
  node.close()
  await smtp.close()
  await database.close()
})

const rootKey = createApiKeyPair()
const environment = () => ({
  DATABASE_URL: database.url,
  LATCHKEY_ROLES: 'custody,mail,gateway',
  // Development mode looks up no DNS records for a.example.
  LATCHKEY_MODE: 'development',
  LATCHKEY_PORT: '0',
  LATCHKEY_LOG_LEVEL: 'silent',
  LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
  LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
  LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
  LATCHKEY_SMTP_URL: smtp.url,
  LATCHKEY_MAIL_FROM: 'a@b.example',
  LATCHKEY_NODE_URL: nodeUrl,
  LATCHKEY_BUNDLER_URL: nodeUrl,
  LATCHKEY_CHAIN_ID: '31337',
  LATCHKEY_PAYMASTER_KEY: randomBytes(32).toString('hex'),
})

async function call(command: string[], env: Record<string, string>, stop = new AbortController().signal) {
  const printed: string[] = []
  const code = await run({ arguments: command, environment: env, print: (text) => printed.push(text), stop })
  return { code, text: printed.join('\n') }
}

const withoutFigures = (text: string) =>
  text
    .replace(/version .*/, 'version')
    .replace(/\d+ migration/, 'N migration')
    .replace(/agree, .*/, 'agree')
    .replace(/[\d.]+ ms per round trip/, 'N ms per round trip')
    .replaceAll(/\w+ has the privileges/g, 'USER has the privileges')

async function startFrames(custodyUrl?: string) {
  const key = bundleSigningPublicKey('11'.repeat(32))
  const deps = { page: 'auth', projects: [], custodyUrl, bundleSigningPublicKey: key, logger: silentLogger } as const
  const app = framesApp(deps)
  return listen((request, env) => app.fetch(request, env), { port: 0 })
}

test('migrates and diagnoses a new database', async () => {
  const migrate = () => call(['migrate'], { DATABASE_URL: database.url })
  expect(await migrate()).toEqual({
    code: 0,
    text: 'Applied 0001_schema, 0002_oauth_providers, 0003_confirmed_passkeys, 0004_spending_rules, 0005_multi_factors, 0006_logged_intents, 0007_described_sign_in.',
  })
  expect(await migrate()).toEqual({ code: 0, text: 'The schema is up to date.' })
  const frames = await startFrames('https://custody.example')
  const { code, text } = await call(['doctor'], { ...environment(), LATCHKEY_AUTH_FRAME_URL: frames.url })
  await frames.close()
  expect(withoutFigures(text)).toMatchInlineSnapshot(`
    "ok    PostgreSQL         answers, version
    ok    latency            N ms per round trip
    ok    schema             up to date
    ok    time               the clocks agree
    ok    grants (custody)   USER has the privileges custody needs
    skip  running copies     no server reported to this database in the last 90 seconds
    ok    grants (mail)      USER has the privileges mail needs
    ok    grants (gateway)   USER has the privileges gateway needs
    ok    key encryption     wraps and unwraps a key
    ok    stored keys        none yet
    ok    SMTP               answers and accepts the credentials
    skip  SPF                development mode looks up no records; set LATCHKEY_DNS_SERVERS to check them
    skip  DKIM               development mode looks up no records; set LATCHKEY_DNS_SERVERS to check them
    skip  DMARC              development mode looks up no records; set LATCHKEY_DNS_SERVERS to check them
    ok    mail links         lead to a page that cannot be framed
    skip  DNS of auth frame  localhost is this machine
    skip  TLS of auth frame  localhost is this machine
    ok    node               answers, chain 31337
    ok    bundler            answers, chain 31337
    ok    entry points       serves 0x00000000
    skip  gas policies       cost limits are checked in production mode only
    14 ok, 7 skipped, 0 failed"
  `)
  expect(code).toBe(0)
})

test('runs until stopped, and diagnoses stored keys', async () => {
  const stop = new AbortController()
  const env = environment()
  const started = call(['start'], { ...env, LATCHKEY_DRAIN_SECONDS: '0' }, stop.signal)
  stop.abort()
  expect(await started).toEqual({ code: 0, text: '' })
  expect((await call(['doctor'], env)).text).toMatch(/ok +stored keys +the key-encryption key unwraps them/)
  const other = await call(['doctor'], environment())
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('wrapped by another key-encryption key')])
})

test('serves metrics only on their own port', async () => {
  const port = await freePorts(2)
  const stop = new AbortController()
  const env = {
    ...environment(),
    LATCHKEY_ROLES: 'mail,gateway',
    LATCHKEY_DRAIN_SECONDS: '0',
    LATCHKEY_PORT: String(port),
  }
  const started = call(['start'], { ...env, LATCHKEY_METRICS_PORT: String(port + 1) }, stop.signal)
  const read = (url: string) => fetch(url).catch(() => undefined)
  await expect.poll(async () => (await read(`http://127.0.0.1:${port}/healthz`))?.status).toBe(200)
  const figures = await (await read(`http://127.0.0.1:${port + 1}/metrics`))?.text()
  for (const name of ['process_cpu_seconds_total', 'latchkey_mails_waiting 0', 'latchkey_requests_total'])
    expect(figures).toContain(name)
  for (const role of ['mail', 'gateway'])
    expect(figures).toMatch(new RegExp(`latchkey_database_connections\\{role="${role}",state="idle"\\} \\d`))
  expect((await read(`http://127.0.0.1:${port}/metrics`))?.status).toBe(404)
  stop.abort()
  expect(await started).toEqual({ code: 0, text: '' })
  expect(await read(`http://127.0.0.1:${port + 1}/metrics`)).toBeUndefined()
})

test('prints help in groups', async () => {
  const help = await call(['--help'], {})
  expect(help.code).toBe(0)
  expect(help.text).toContain('LATCHKEY_KEY_ENCRYPTION_KEY')
  expect(await call([], {})).toEqual(help)
  expect(await call(['help'], {})).toEqual(help)
  const audit = await call(['audit', '--help'], {})
  expect(audit).toEqual({
    code: 0,
    text: expect.stringMatching(/^ {2}audit heads\n[\s\S]* {2}audit verify \[--heads FILE\]\n/),
  })
  expect(await call(['audit'], {})).toEqual({ ...audit, code: 2 })
  expect(help.text).toMatch(/\n\nProjects, users and webhooks:\n {2}projects list/)
  expect(help.text).toMatch(/\n\nMail:\n {2}LATCHKEY_SMTP_URL /)
})

test.each([
  ['dance', 'Unknown command "dance". See latchkey-server --help.'],
  ['constructor', 'Unknown command "constructor". See latchkey-server --help.'],
  ['docter', 'Unknown command "docter". Did you mean doctor? See latchkey-server --help.'],
  ['projects ad', 'Unknown command "projects ad". Did you mean projects add? See latchkey-server --help.'],
  ['migrate --nope', 'Unknown option --nope. See latchkey-server --help.'],
  ['audit verify --heds x', 'Unknown option --heds. Did you mean --heads? See latchkey-server --help.'],
  ['audit verify --heads', 'The option --heads needs a value. See latchkey-server --help.'],
  ['grants --apply=secret', 'The option --apply takes no value. See latchkey-server --help.'],
  ['start now', 'start does not take "now". See latchkey-server start --help.'],
  ['start --heads x', 'start takes no option --heads. See latchkey-server start --help.'],
  ['projects show', 'projects show needs ID. See latchkey-server projects show --help.'],
])('refuses %s with advice', async (words, text) => {
  expect(await call(words.split(' '), {})).toEqual({ code: 2, text })
  const { code, text: json } = await call([...words.split(' '), '--json'], {})
  if (words.endsWith('--heads')) return
  expect([code, JSON.parse(json)]).toMatchObject([2, { ok: false, error: { code: 'ARGUMENT_INVALID', message: text } }])
})
