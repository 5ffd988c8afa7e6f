import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createECDH } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { makeCertificate, type TestCertificate } from '@latchkey/testkit/certificate'
import { freePorts } from 'latchkey-dev/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** Configuration for Debian's rsyslog, which forwards the output of a role to another system over TLS. */
const deployed = readFileSync(new URL('../../deploy/rsyslog/latchkey.conf', import.meta.url), 'utf8')
const program = fileURLToPath(new URL('../../packages/server/dist/cli/main.js', import.meta.url))
const host = 'logs.example.com'
const ours = makeCertificate({ hosts: ['localhost'] })

let folder: string
let port: number
let ends: (() => Promise<unknown>)[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-logs-'))
  port = await freePorts(1)
  ends = []
})
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  rmSync(folder, { recursive: true, force: true })
})

const socket = () => join(folder, 'log.sock')

function run(name: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(() => stop(child))
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function startRsyslog(): Promise<ChildProcess> {
  mkdirSync(join(folder, 'spool'), { recursive: true })
  writeFileSync(join(folder, 'ca.pem'), ours.cert)
  const places = [
    [`target="${host}" port="6514"`, `target="localhost" port="${port}"`],
    [`Peers="${host}"`, 'Peers="localhost"'],
    ['/etc/latchkey/logs/ca.pem', join(folder, 'ca.pem')],
    ['resumeInterval="10"', 'resumeInterval="1"'],
  ] as const
  const rule = places.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, deployed)
  const main = [
    `global(workDirectory="${join(folder, 'spool')}")`,
    'module(load="imuxsock" SysSock.Use="off")',
    `input(type="imuxsock" Socket="${socket()}" CreatePath="on")`,
    rule,
  ]
  writeFileSync(join(folder, 'rsyslog.conf'), main.join('\n'))
  rmSync(socket(), { force: true })
  const { RSYSLOG_PATH = '', RSYSLOG_LIBRARIES, RSYSLOG_MODULES } = process.env
  const child = run(
    RSYSLOG_PATH,
    [
      '-n',
      '-f',
      join(folder, 'rsyslog.conf'),
      '-i',
      join(folder, 'pid'),
      ...(RSYSLOG_MODULES ? ['-M', RSYSLOG_MODULES] : []),
    ],
    RSYSLOG_LIBRARIES ? { LD_LIBRARY_PATH: RSYSLOG_LIBRARIES } : {},
  )
  await expect.poll(() => existsSync(socket())).toBe(true)
  return child
}

async function startReceiver({ key, cert }: TestCertificate = ours) {
  let text = ''
  let tries = 0
  const open = new Set<{ destroy(): void }>()
  const server = createServer({ key, cert }, (one) => {
    tries++
    open.add(one)
    one.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    one.on('error', () => undefined)
  }).on('tlsClientError', () => tries++)
  server.listen(port, 'localhost')
  await once(server, 'listening')
  expect((server.address() as AddressInfo).port).toBe(port)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const one of open) one.destroy()
    })
  ends.push(async () => server.listening && close())
  // Each message starts with its length (RFC 6587).
  const lines = () => [...text.matchAll(/\d+ <\d+>1 \S+ \S+ (\S+) \S+ \S+ \S+ +(\{.*?\})\n?(?=\d+ <|$)/gs)]
  return {
    close,
    tries: () => tries,
    text: () => text,
    lines: () => lines().map(([, name = '', line = '']) => ({ name, line })),
  }
}

function writeProjects(): string {
  const path = join(folder, 'projects.json')
  const [id, origins] = ['app', ['https://app.example.com']]
  writeFileSync(
    path,
    JSON.stringify([{ id, name: id, apiKey: 'key-of-a-test', redirectUrls: [], allowedOrigins: origins }]),
  )
  return path
}

/** Logs a line with the unit's name, like journald. */
function log(name: string, line: string): void {
  execFileSync('logger', ['--socket', socket(), '--tag', name, '--size', '64KiB', '--', line])
}

test('forwards every line of a role under its name, and no line of other programs', async () => {
  const receiver = await startReceiver()
  await startRsyslog()
  const child = run(process.execPath, [program, 'start'], {
    LATCHKEY_ROLES: 'frames',
    LATCHKEY_FRAMES_PAGE: 'auth',
    LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: createECDH('prime256v1').generateKeys('hex'),
    LATCHKEY_CUSTODY_URL: 'https://custody.example.com',
    LATCHKEY_ROOT_ORGANIZATION_ID: '3f0c9d1e-5a4b-4c2d-8e6f-7a8b9c0d1e2f',
    LATCHKEY_PROJECTS_FILE: writeProjects(),
    LATCHKEY_PORT: String(await freePorts(1)),
  })
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
  })
  await expect.poll(() => printed).toContain('"Ready"')
  await stop(child)
  const lines = printed.trim().split('\n')
  log('sshd', '{"of":"another program"}')
  for (const line of lines) log('latchkey-auth-frame', line)
  // The longest allowed line, with characters that could split it.
  const long = JSON.stringify({ level: 50, msg: 'x'.repeat(6_000), path: '/é\u2028\t\n<13>1' })
  log('latchkey-auth-frame', long)
  await expect.poll(() => receiver.lines().at(-1)?.line).toBe(long)
  expect(receiver.lines()).toEqual([...lines, long].map((line) => ({ name: 'latchkey-auth-frame', line })))
})

test('delivers lines printed during an outage later, across a restart of rsyslog', async () => {
  const rsyslog = await startRsyslog()
  for (const count of [1, 2, 3]) log('latchkey-custody', `{"event":"exported","count":${count}}`)
  await stop(rsyslog)
  await startRsyslog()
  log('latchkey-custody', '{"event":"exported","count":4}')
  const receiver = await startReceiver()
  const counts = () => [...new Set(receiver.lines().map(({ line }) => JSON.parse(line).count as number))].sort()
  await expect.poll(counts).toEqual([1, 2, 3, 4])
})

test('sends no line to an untrusted system', async () => {
  const other = await startReceiver(makeCertificate({ hosts: ['localhost'] }))
  await startRsyslog()
  log('latchkey-custody', '{"event":"exported","count":1}')
  await expect.poll(other.tries).toBeGreaterThan(0)
  await other.close()
  const receiver = await startReceiver()
  await expect
    .poll(() => receiver.lines())
    .toContainEqual({ name: 'latchkey-custody', line: '{"event":"exported","count":1}' })
  expect(other.text()).toBe('')
})
