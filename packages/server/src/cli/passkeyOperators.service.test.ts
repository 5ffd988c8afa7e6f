import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator, type Deviation } from '@latchkey/testkit/authenticator'
import { startTestStore } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { afterAll, expect, test } from 'vitest'
import { createOperatorSession, findOperatorSession } from '../store/operatorSessions.ts'
import { readConfig } from './readConfig.ts'
import { run } from './run.ts'

const url = 'https://console.example'
const key = randomBytes(32)
const owner = await startTestStore()
const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-operators-'))
const path = join(folder, 'operators.json')
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await owner.close()
})

async function operators(words: readonly string[], more: Record<string, string> = {}) {
  const lines: string[] = []
  const code = await run({
    arguments: ['operators', ...words, '--json'],
    environment: {
      LATCHKEY_ADMIN_DATABASE_URL: asRole(owner.databaseUrl, 'admin'),
      LATCHKEY_OPERATOR_KEY: key.toString('hex'),
      LATCHKEY_OPERATORS_FILE: path,
      LATCHKEY_CONSOLE_URL: url,
      ...more,
    },
    print: (line) => lines.push(line),
    stop: new AbortController().signal,
  })
  return { code, ...JSON.parse(lines.join('\n')) }
}

function answer(link: string, deviation: Deviation = {}): string {
  const invitation = new URL(link).hash.slice(1)
  const passkey = createAuthenticator({ rpId: 'console.example', origin: url })
  const challenge = createHash('sha256').update(invitation).digest()
  const { attestation } = passkey.register({ challenge, ...deviation })
  const { credentialId, attestationObject, clientDataJson } = attestation
  const line = { invitation, credentialId, attestationObject, clientDataJson }
  return Buffer.from(JSON.stringify(line)).toString('base64url')
}

const read = () => JSON.parse(readFileSync(path, 'utf8'))

test("adds an invited operator's passkeys to the file", async () => {
  const { code, result } = await operators(['invite', '--name', 'Ada', '--role', 'admin'])
  expect([code, result.link.startsWith(`${url}/join#`), read()]).toEqual([0, true, []])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const accepted = await operators(['accept', answer(result.link)])
  expect([accepted.code, accepted.result.operator.name]).toEqual([0, 'Ada'])
  expect(read()).toMatchObject([{ id: result.id, name: 'Ada', role: 'admin', passkeys: [{}] }])

  const second = await operators(['invite', result.id])
  await operators(['accept', answer(second.result.link)])
  expect(read()).toMatchObject([{ id: result.id, passkeys: [{}, {}] }])
  const { server } = readConfig({
    LATCHKEY_ROLES: 'admin',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_ADMIN_DATABASE_URL: 'postgres://localhost/x',
    LATCHKEY_OPERATOR_KEY: key.toString('hex'),
    LATCHKEY_OPERATORS_FILE: path,
    LATCHKEY_CONSOLE_URL: url,
  })
  expect(server.console).toMatchObject({ url, operators: [{ id: result.id, role: 'admin' }] })
  expect((await operators(['list'])).result.passkeyOperators).toMatchObject([{ name: 'Ada' }])
})

test('accepts only answers to genuine invitations by a verified user on the console', async () => {
  const { link } = (await operators(['invite', '--name', 'Eve', '--role', 'viewer'])).result
  const before = readFileSync(path, 'utf8')
  const [content = '', mac = ''] = new URL(link).hash.slice(1).split('.')
  const invitation = JSON.parse(Buffer.from(content, 'base64url').toString())
  const raised = Buffer.from(JSON.stringify({ ...invitation, role: 'admin' })).toString('base64url')
  const cases: [string, string, string][] = [
    ['half a line', answer(link).slice(0, 200), 'CONFIG_INVALID'],
    ['nothing of ours', 'aGVsbG8', 'CONFIG_INVALID'],
    ['a higher role', answer(`${url}/join#${raised}.${mac}`), 'CONFIG_INVALID'],
    ['another origin', answer(link, { origin: 'https://evil.example' }), 'REQUEST_INVALID'],
    ['no user verification', answer(link, { flags: 0x41 }), 'REQUEST_INVALID'],
    ['for another challenge', answer(link, { challenge: 'another' }), 'REQUEST_INVALID'],
  ]
  for (const [name, line, code] of cases) {
    const reply = await operators(['accept', line])
    expect([name, reply.code, reply.error.code]).toEqual([name, 1, code])
  }
  const elsewhere = await operators(['accept', answer(link)], {
    LATCHKEY_OPERATOR_KEY: randomBytes(32).toString('hex'),
  })
  expect(elsewhere.error.message).toContain('another LATCHKEY_OPERATOR_KEY')
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([before, ['operators.json']])

  const line = answer(link)
  expect((await operators(['accept', line])).code).toBe(0)
  expect((await operators(['accept', line])).error.code).toBe('STATE_CONFLICT')
  for (const words of [['invite'], ['invite', '--name', 'Bob', '--role', 'owner'], ['invite', randomUUID()]])
    expect((await operators(words)).error.code).toBe('CONFIG_INVALID')
})

test('removes an operator from the file and ends their sessions', async () => {
  const [ada] = read()
  const now = Date.now
  const { secret } = await createOperatorSession(owner.db, { key, now, operatorId: ada.id, challenge: 'a' })
  expect(await findOperatorSession(owner.db, { key, now, secret })).toMatchObject({ operatorId: ada.id })
  const removed = await operators(['remove', ada.id])
  expect([removed.code, removed.result.sessions]).toEqual([0, 1])
  expect(await findOperatorSession(owner.db, { key, now, secret })).toBeNull()
  expect(read().map(({ name }: { name: string }) => name)).toEqual(['Eve'])
  const { rows } = await owner.pool.query(`select action, target from operator_log order by seq desc limit 1`)
  expect(rows).toEqual([{ action: 'operator.remove', target: ada.id }])
  expect((await operators(['remove', ada.id])).error.code).toBe('NOT_FOUND')
})

test.each([
  ['no list', {}],
  ['an unknown role', [{ id: randomUUID(), name: 'A', role: 'owner', passkeys: [] }]],
  ['no key', [{ id: randomUUID(), name: 'A', role: 'admin', passkeys: [{ credentialId: 'a', publicKey: '00' }] }]],
  [
    'an id twice',
    Array(2).fill({ id: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40', name: 'A', role: 'admin', passkeys: [] }),
  ],
])('refuses a file with %s and does not change it', async (_, content) => {
  writeFileSync(path, JSON.stringify(content))
  const reply = await operators(['invite', '--name', 'Bob', '--role', 'admin', randomUUID()])
  expect([reply.code, reply.error.code]).toEqual([1, 'CONFIG_INVALID'])
  const environment = { LATCHKEY_ROLES: 'admin', LATCHKEY_OPERATORS_FILE: path, LATCHKEY_CONSOLE_URL: url }
  expect(() => readConfig(environment)).toThrow('LATCHKEY_OPERATORS_FILE must hold a list of')
  expect(read()).toEqual(content)
})

test('refuses a console without its settings or TLS', () => {
  const role = { LATCHKEY_ROLES: 'console', LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID() }
  expect(() => readConfig(role)).toThrow(/LATCHKEY_ADMIN_URL is missing[\s\S]*LATCHKEY_CONSOLE_URL is missing/)
  const plain = { ...role, LATCHKEY_ADMIN_URL: 'http://localhost:1', LATCHKEY_CONSOLE_URL: 'http://console.example' }
  expect(() => readConfig(plain)).toThrow('LATCHKEY_CONSOLE_URL is plain http')
  const config = readConfig({ ...plain, LATCHKEY_CONSOLE_URL: url })
  expect(config.server).toMatchObject({ roles: ['console'], console: { url, adminUrl: 'http://localhost:1' } })
  expect(config.allowedHosts).toContain('console.example')
})
