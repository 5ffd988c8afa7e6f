import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeCertificate } from '@latchkey/testkit/certificate'
import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { type DnsRecords, startTestDns } from '@latchkey/testkit/dns'
import { type DebianPostgres, findPrograms, prepareDebianPostgres } from '@latchkey/testkit/run/debianPostgres'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { pageHtml, pageScript } from '@latchkey/testkit/signer/startPage'
import { freePorts, launchBrowser } from 'latchkey-dev/testing'
import PostalMime from 'postal-mime'
import { recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createProcesses, type Processes, startCaddy, startMailServer, startNginx } from './machine.ts'

/**
 * Tests the first day of a server on one Debian machine, with the files that `latchkey-server init` writes and the
 * commands in NEXT.md: PostgreSQL, Postfix with OpenDKIM, Caddy with a local authority, and a sign-in by e-mail in a
 * browser. Where NEXT.md installs packages or starts systemd units, the test starts the same programs itself.
 */
const program = fileURLToPath(new URL('../../packages/server/dist/cli/main.js', import.meta.url))
const domain = 'shop.test'
/** Addresses of this machine on which nothing else uses port 443. */
const [address, nginxAddress] = ['127.77.0.1', '127.77.0.2']
const hosts = ['custody', 'signer', 'gateway', 'keys', 'export', 'import', 'app'].map((name) => `${name}.${domain}`)
const certificate = makeCertificate({ hosts: [`*.${domain}`] })
const owner = { user: 'latchkey_owner', password: 'owner-password' }

let folder: string
let out: string
let postgres: DebianPostgres
let running: Awaited<ReturnType<DebianPostgres['start']>>
let port: number
let chain: TestChain
let dns: Awaited<ReturnType<typeof startTestDns>>
let app: Listening
let processes: Processes
let mail: Awaited<ReturnType<typeof startMailServer>> | undefined
let caddy: ReturnType<typeof startCaddy>
let nginx: ReturnType<typeof startNginx>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-init-'))
  chmodSync(folder, 0o711)
  out = join(folder, 'latchkey')
  processes = createProcesses()
  chain = await startTestChain({ bundler: true })
  postgres = await prepareDebianPostgres(folder, 'superuser')
  await postgres.create(join(postgres.home, 'data'))
  port = await freePorts(1)
  running = await postgres.start(join(postgres.home, 'data'), port)
  await postgres.query(port, `create role ${owner.user} login createrole password '${owner.password}'`, 'postgres')
  await postgres.query(port, `create database latchkey owner ${owner.user}`, 'postgres')
  dns = await startTestDns()
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/latchkey-server'), `import(${JSON.stringify(program)})\n`)
  chmodSync(join(folder, 'bin/latchkey-server'), 0o755)
  await followSteps().catch((cause: unknown) => {
    throw new Error(processes.output(), { cause })
  })
})
afterAll(async () => {
  await mail?.close()
  await processes?.close()
  await app?.close()
  await dns?.close()
  await running?.close()
  await chain?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Options of `init`, as a user would type them. */
const answers = () => ({
  '--domain': domain,
  '--database': `postgres://${owner.user}:${owner.password}@127.0.0.1:${port}/latchkey`,
  '--chain': `${chain.chainId},${chain.nodeUrl},${chain.bundlerUrl}`,
  '--address': address,
})
/** Settings of the test's own name server and authority. */
const byHand = () => ({
  LATCHKEY_DNS_SERVERS: dns.server,
  NODE_EXTRA_CA_CERTS: join(folder, 'caddy/pki/authorities/local/root.crt'),
})

const environment = (): Record<string, string> => ({
  PATH: [join(folder, 'bin'), dirname(process.execPath), findPrograms().bin, process.env.PATH].join(delimiter),
  HOME: folder,
})

async function shell(command: string): Promise<string> {
  const env = { ...environment(), ...byHand() }
  const { stdout } = await promisify(execFile)('bash', ['-euc', command], { env, timeout: 120_000 })
  return stdout
}

/** Returns the commands of NEXT.md by the title of their step. */
function readSteps(): Map<string, string[]> {
  const parts = readFileSync(join(out, 'NEXT.md'), 'utf8')
    .split(/^## \d+\. /m)
    .slice(1)
  return new Map(
    parts.map((part) => [
      part.split('\n')[0] ?? '',
      [...part.matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap(([, block = '']) => block.split('\n')),
    ]),
  )
}

/** Publishes the records of init's zone file. */
function publish(): void {
  const add = (name: string, more: DnsRecords) => {
    const known = dns.records.get(name) ?? {}
    dns.records.set(name, {
      a: [...(known.a ?? []), ...(more.a ?? [])],
      txt: [...(known.txt ?? []), ...(more.txt ?? [])],
    })
  }
  const zone = readFileSync(join(out, 'dns.zone'), 'utf8')
  for (const [, name = '', type = '', value = ''] of zone.matchAll(/^(\S+)\. 3600 IN (A|TXT) (.*)$/gm))
    add(name, type === 'A' ? { a: [value] } : { txt: [value.slice(1, -1).replaceAll('" "', '')] })
  add(`app.${domain}`, { a: [address] })
}

async function startApp(): Promise<Listening> {
  const [{ apiKey }] = JSON.parse(readFileSync(join(out, 'projects.json'), 'utf8')) as [{ apiKey: string }]
  const [script, html] = [await pageScript(), pageHtml({ signerApiUrl: `https://signer.${domain}`, apiKey })]
  return listen((incoming, response) => {
    const isScript = incoming.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : html)
  })
}

/** Follows the steps of NEXT.md up to its check. */
async function followSteps(): Promise<void> {
  await promisify(execFile)(process.execPath, [program, 'init', ...Object.entries(answers()).flat(), '--out', out], {
    env: environment(),
  })
  publish()
  for (const command of readSteps().get('Create the tables, and a database user for each role') ?? [])
    await shell(command)
  mail = await startMailServer({ folder, out, processes })
  const units = [...readUnits(), 'admin', 'console']
  for (const role of units) processes.start(role, 'sh', [join(out, 'run.sh'), role, 'start'], environment())
  app = await startApp()
  const site = `app.${domain} {\nreverse_proxy ${new URL(app.url).host}\n}`
  caddy = startCaddy({ folder, out, address, app: site, processes })
  nginx = startNginx({ folder, out, address: nginxAddress, certificate, processes })
  const wait = { timeout: 90_000, interval: 100 }
  for (const role of units) await vi.waitFor(() => expect(processes.outputOf(role), role).toContain('"Ready"'), wait)
  await vi.waitFor(() => expect(caddy.isReady(hosts), 'certificates of Caddy').toBe(true), wait)
}

/** Returns the roles whose units NEXT.md starts. */
function readUnits(): string[] {
  return (
    readSteps()
      .get('Start the roles')
      ?.flatMap((line) => /latchkey@(\S+)$/.exec(line)?.[1] ?? []) ?? []
  )
}

test('needs at most six settings, and names every step', () => {
  expect(Object.keys({ ...answers(), ...byHand() }).length).toBeLessThanOrEqual(6)
  expect([...readSteps().keys()]).toEqual([
    'Publish the DNS records',
    'Create the tables, and a database user for each role',
    'Set up the mail server',
    'Start the roles',
    'Start the proxy',
    'Check everything',
    'Sign in',
    'Before real users come',
  ])
  expect(readUnits()).toHaveLength(8)
})

test('leaves doctor nothing to report', async () => {
  const operators = ['admin', 'console'].map((role) => `sh ${join(out, 'run.sh')} ${role} doctor`)
  for (const command of [...(readSteps().get('Check everything') ?? []), ...operators]) {
    const printed = await shell(`${command} --json || true`)
    const { result } = JSON.parse(printed) as { result: { findings: { name: string; state: string }[] } }
    const failures = result.findings.filter(({ state, name }) => state === 'fail' && !name.startsWith('latency'))
    expect(failures, command).toEqual([])
  }
})

test('signs a person in by email in a browser', async () => {
  const email = `ada-${randomBytes(4).toString('hex')}@people.test`
  const args = [`--host-resolver-rules=MAP *.${domain} ${address}`, caddy.trust(hosts)]
  const browser = await launchBrowser({ args })
  try {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`https://app.${domain}/`)
    await page.waitForFunction(() => window.page !== undefined)
    await page.evaluate((to) => window.page.start({ email: to }), email)
    const find = () => mail?.mails().find((text) => text.includes(email))
    await expect.poll(find).toBeDefined()
    const raw = find() ?? ''
    expect(raw.replace(/\r?\n\s+/g, ' ')).toMatch(/^DKIM-Signature: .*\bd=shop\.test; s=latchkey;/m)
    const { text = '', from } = await PostalMime.parse(raw)
    expect(from?.address).toBe(`no-reply@${domain}`)
    const link = /https:\/\/app\.shop\.test\/\?\S+/.exec(text)?.[0] ?? ''
    const second = await context.newPage()
    await second.goto(link)
    await second.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
    const user = await second.evaluate(() => window.page.signer.getAuthDetails())
    expect(user.email).toBe(email)
    const signature = await second.evaluate(() => window.page.signer.signMessage('hello'))
    expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(user.address)
  } finally {
    await browser.close()
  }
})

/** Sends a request for a host to a proxy. Returns the status and headers of the role's response. */
function ask(
  host: string,
  { at, ca, path = '/', body = '' }: { at: string; ca: string; path?: string; body?: string },
) {
  const method = body === '' ? 'GET' : 'POST'
  return new Promise<{ status: number | undefined; policy: unknown; requestId: unknown }>((resolve, reject) => {
    const call = request({
      host: at,
      port: 443,
      servername: host,
      ca,
      method,
      path,
      headers: { host },
      timeout: 10_000,
    })
    call.once('response', (response) => {
      const { 'content-security-policy': policy, 'x-request-id': requestId } = response.headers
      response.resume().once('end', () => resolve({ status: response.statusCode, policy, requestId }))
    })
    call.once('error', reject)
    call.end(body)
  })
}

test('serves the same through nginx, hides the probes, and limits bodies', async () => {
  const both = [
    { at: address, ca: readFileSync(caddy.root, 'utf8') },
    { at: nginxAddress, ca: certificate.cert },
  ]
  for (const proxy of both) {
    const page = await ask(`keys.${domain}`, { ...proxy, path: '/?secret=1' })
    const policy = expect.stringContaining(`frame-ancestors https://app.${domain}`)
    expect(page).toMatchObject({ status: 200, policy })
    expect(await ask(`console.${domain}`, proxy)).toMatchObject({ status: 200, policy: expect.any(String) })
    for (const path of ['/readyz', '/healthz'])
      expect(await ask(`custody.${domain}`, { ...proxy, path })).toMatchObject({ status: 404, requestId: undefined })
    const path = '/public/v1/query/whoami'
    const large = await ask(`custody.${domain}`, { ...proxy, path, body: 'x'.repeat(100_000) })
    expect(large.status).toBe(413)
  }
  expect(nginx.log()).toContain(' GET / 200 ')
  expect(nginx.log()).not.toContain('secret')
})

test('creates a database on this machine whose owner may create the users', async () => {
  const local = join(folder, 'local')
  const given = ['--domain', domain, '--chain', answers()['--chain'], '--out', local]
  await promisify(execFile)(process.execPath, [program, 'init', ...given], { env: environment() })
  const sql = readFileSync(join(local, 'secrets/owner/database.sql'), 'utf8').replaceAll('latchkey', 'local_latchkey')
  for (const statement of sql.trim().split('\n')) await postgres.query(port, statement, 'postgres')
  const url = new URL(readFileSync(join(local, 'secrets/owner/owner-database-url'), 'utf8').trim())
  Object.assign(url, { port: String(port), username: 'local_latchkey', pathname: '/local_latchkey' })
  writeFileSync(join(local, 'secrets/owner/owner-database-url'), url.href)
  expect(await shell(`sh ${local}/run.sh owner migrate`)).toContain('Applied 0001_schema')
})

test('installs units that systemd accepts, whose users read their own secrets alone', async () => {
  const home = join(folder, 'units')
  const given = ['--domain', domain, '--chain', answers()['--chain'], '--out', home]
  await promisify(execFile)(process.execPath, [program, 'init', ...given], { env: environment() })
  const { SYSTEMD_ANALYZE_PATH = '', SYSTEMD_PROGRAMS = '', SYSTEMD_LIBRARIES = '' } = process.env
  const env = {
    ...environment(),
    PATH: [SYSTEMD_PROGRAMS, environment().PATH, '/usr/sbin'].join(delimiter),
    ...(SYSTEMD_LIBRARIES && { LD_LIBRARY_PATH: SYSTEMD_LIBRARIES }),
    // Nothing runs under systemd here, so there is nothing to reload.
    SYSTEMD_OFFLINE: '1',
  }
  const unit = join(folder, 'latchkey@custody.service')
  copyFileSync(join(home, 'systemd/latchkey@.service'), unit)
  const analyzed = await promisify(execFile)(SYSTEMD_ANALYZE_PATH, ['verify', '--man=no', unit], { env })
  expect(analyzed.stderr).not.toContain('latchkey@')

  // Adds users and units to a copy of /etc. The script itself hides and binds the same paths as the unit.
  const script = `
    cp -a /etc '${folder}/etc'
    mount --bind '${folder}/etc' /etc
    sh '${home}/systemd/install.sh' >&2
    test -f /etc/systemd/system/latchkey@.service
    mkdir '${folder}/own'
    mount --bind '${home}/secrets/custody' '${folder}/own'
    mount -t tmpfs -o mode=755 tmpfs '${home}/secrets'
    mkdir '${home}/secrets/custody'
    mount --bind '${folder}/own' '${home}/secrets/custody'
    cd '${home}'
    as_custody() { setpriv --reuid latchkey-custody --regid latchkey-custody --groups latchkey "$@"; }
    ls secrets
    for file in secrets/custody/* projects.json operators.json chains.json env/custody.env secrets; do
      if as_custody test -r "$file"; then echo "reads $file"; fi
      if as_custody test -w "$file"; then echo "writes $file"; fi
    done`
  const { stdout } = await promisify(execFile)('unshare', ['-m', 'bash', '--norc', '-euc', script], { env })
  const own = readdirSync(join(home, 'secrets/custody')).sort()
  expect(own).toContain('LATCHKEY_KEY_ENCRYPTION_KEY')
  const lines = stdout.trim().split('\n')
  expect(lines.filter((line) => !line.startsWith('writes secrets/custody/'))).toEqual([
    'custody',
    ...own.map((name) => `reads secrets/custody/${name}`),
    'reads projects.json',
    'reads operators.json',
    'reads secrets',
  ])
})
