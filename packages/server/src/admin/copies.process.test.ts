import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { startTestDatabase } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { joinProgram } from '@latchkey/testkit/run/joinProgram'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { verifyOperatorLog } from '../store/operatorLog.ts'
import { createOperator } from '../store/operators.ts'
import { upsertProject } from '../store/upsertProject.ts'

// Two processes, which share nothing but the database and the key.

const operatorKey = randomBytes(32)

let database: Awaited<ReturnType<typeof startTestDatabase>>
let owner: Store
let secrets: string[]
const copies: Copy[] = []
beforeAll(async () => {
  database = await startTestDatabase({ migrated: true })
  owner = await openStore({ databaseUrl: database.url })
  await upsertProject(owner.db, {
    id: 'shop',
    name: 'Shop',
    apiKey: 'key-of-shop',
    redirectUrls: [],
    allowedOrigins: [],
  })
  const make = async (name: string) =>
    (await createOperator(owner.db, { key: operatorKey, name, role: 'operator' })).secret
  secrets = [await make('Ada'), await make('Bob')]
  copies.push(...(await Promise.all([startCopy(), startCopy()])))
})
afterAll(async () => {
  for (const { child } of copies) child.kill('SIGKILL')
  await owner?.close()
  await database?.close()
})

type Copy = { child: ChildProcess; url: string }

async function startCopy(): Promise<Copy> {
  const port = await freePorts(1)
  const child = spawn(process.execPath, [await joinProgram('server'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      LATCHKEY_ROLES: 'admin',
      LATCHKEY_PORT: String(port),
      LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
      LATCHKEY_ADMIN_DATABASE_URL: asRole(database.url, 'admin'),
      LATCHKEY_OPERATOR_KEY: operatorKey.toString('hex'),
    },
  })
  for await (const line of createInterface({ input: child.stdout }))
    if (JSON.parse(line).msg === 'Ready') {
      child.stdout.resume()
      return { child, url: `http://localhost:${port}/admin/v1` }
    }
  throw new TypeError(`A copy of the admin API ended with code ${child.exitCode} before it was ready.`)
}

/** A call by one of the two operators, each at a copy of their own. */
async function call(
  who: 0 | 1,
  method: string,
  path: string,
  { body, version }: { body?: unknown; version?: string } = {},
) {
  const response = await fetch(`${copies[who]?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secrets[who]}`,
      ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const path = '/projects/shop/policies/shared'

test('default: of two operators at two copies exactly one change of each version counts', async () => {
  expect((await call(0, 'POST', '/projects/shop/policies', { body: { id: 'shared', rules: {} } })).status).toBe(201)
  for (let round = 1; round <= 10; round++) {
    const { version } = (await call(0, 'GET', path)).body
    expect(version).toBe(String(round))
    const replies = await Promise.all(
      ([0, 1] as const).map((who) =>
        call(who, 'PUT', path, { body: { rules: { chains: [round * 10 + who] } }, version }),
      ),
    )
    const winner = replies.findIndex(({ status }) => status === 200)
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
    const names = ['Ada', 'Bob']
    expect(replies[1 - winner]?.body.error.message).toContain(`changed by ${names[winner]} at `)
    expect((await call(1, 'GET', path)).body).toMatchObject({
      rules: { chains: [round * 10 + winner] },
      changedBy: names[winner],
    })
  }
})

test('behavior: entries of both copies are one chain, and every change has one', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call(index % 2 === 0 ? 0 : 1, 'POST', `${path}/${index % 4 < 2 ? 'pause' : 'resume'}`),
    ),
  )
  const result = await verifyOperatorLog(owner.db, { key: operatorKey })
  expect(result).toEqual({ entries: 1 + 20 + 20 })
})

test('behavior: a key that one copy removes is refused by the other at once', async () => {
  const { secret } = await createOperator(owner.db, { key: operatorKey, name: 'Root', role: 'admin' })
  const made = await fetch(`${copies[0]?.url}/operators`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify({ name: 'Short', role: 'viewer' }),
  })
  const { operator, secret: short } = await made.json()
  const ask = async (copy: Copy | undefined) =>
    (await fetch(`${copy?.url}/operator`, { headers: { authorization: `Bearer ${short}` } })).status
  expect(await ask(copies[1])).toBe(200)
  await fetch(`${copies[0]?.url}/operators/${operator.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(await ask(copies[1])).toBe(401)
})
