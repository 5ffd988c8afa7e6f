import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestStore } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { afterAll, expect, test } from 'vitest'
import { adminApp } from '../admin/app.ts'
import { run } from './run.ts'

const operatorKey = randomBytes(32).toString('hex')
const owner = await startTestStore()
const folder = mkdtempSync(join(tmpdir(), 'latchkey-operators-'))
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await owner.close()
})

async function operators(...words: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const code = await run({
    arguments: ['operators', ...words],
    // The admin API's own database user suffices.
    environment: {
      LATCHKEY_ADMIN_DATABASE_URL: asRole(owner.databaseUrl, 'admin'),
      LATCHKEY_OPERATOR_KEY: operatorKey,
    },
    print: (line) => lines.push(line),
    stop: new AbortController().signal,
  })
  return { code, text: lines.join('\n') }
}

async function diagnose(key = operatorKey): Promise<string | undefined> {
  const lines: string[] = []
  const environment = {
    LATCHKEY_ROLES: 'admin',
    LATCHKEY_ROOT_ORGANIZATION_ID: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
    LATCHKEY_ADMIN_DATABASE_URL: asRole(owner.databaseUrl, 'admin'),
    LATCHKEY_OPERATOR_KEY: key,
  }
  const stop = new AbortController().signal
  await run({ arguments: ['doctor'], environment, print: (line) => lines.push(line), stop })
  return lines.flatMap((text) => text.split('\n')).find((line) => line.includes('operators '))
}

async function ask(secret: string): Promise<{ status: number; body: unknown }> {
  const app = adminApp({ db: owner.db, key: Buffer.from(operatorKey, 'hex'), rootOrganizationId: randomUUID() })
  const response = await app.request('/admin/v1/operator', { headers: { authorization: `Bearer ${secret}` } })
  return { status: response.status, body: await response.json() }
}

test('creates, uses, rotates and removes the first operator key', async () => {
  expect(await diagnose()).toMatch(/^ok .* none yet: latchkey-server operators create/)
  const made = await operators('create', '--name', 'Ada', '--role', 'admin', '--json')
  expect(made.code).toBe(0)
  const { secret, operator } = JSON.parse(made.text).result
  expect(await ask(secret)).toMatchObject({ status: 200, body: { name: 'Ada', role: 'admin' } })
  const list = await operators('list')
  expect(list.text).toContain(`${operator.id}  admin`)
  expect(list.text).not.toContain(secret.slice(-30))

  const rotated = await operators('rotate', operator.id, '--overlap-hours', '2')
  const [next = ''] = /lko_\S+/.exec(rotated.text) ?? []
  expect((await ask(next)).status).toBe(200)
  expect((await ask(secret)).status).toBe(200)
  expect((await operators('remove', operator.id)).text).toBe('Revoked the key of Ada.')
  expect((await ask(secret)).status).toBe(401)
  expect(await operators('remove', operator.id)).toMatchObject({ code: 1 })
  expect(await diagnose()).toMatch(/^ok .* created with the operator key/)
  expect(await diagnose(randomBytes(32).toString('hex'))).toMatch(/^FAIL .* no key works: set LATCHKEY_OPERATOR_KEY/)
})

test('verifies the log of operators by heads', async () => {
  const { text } = await operators('heads')
  const file = join(folder, 'heads')
  writeFileSync(file, `${text}\n`)
  expect(await operators('verify', '--heads', file)).toEqual({
    code: 0,
    text: 'The operator log is intact: 3 entries.',
  })
  await owner.pool.query('alter table operator_log disable trigger user; delete from operator_log where seq = 3')
  expect((await operators('verify')).code).toBe(0)
  expect(await operators('verify', '--heads', file, '--json')).toEqual({
    code: 1,
    text: '{"command":"operators verify","ok":false,"result":{"entries":2,"bad":"3"}}',
  })
})
