import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startTestDatabase } from '@latchkey/testkit/database'
import { startTestSmtp, type TestSmtp } from '@latchkey/testkit/smtp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'

/** The installed program runs in two processes that share only the database. */
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const apiKey = 'key-of-the-app'
const rootKey = createApiKeyPair()
const rootOrganizationId = randomUUID()

let database: Awaited<ReturnType<typeof startTestDatabase>>
let smtp: TestSmtp
let folder: string
let copySecrets: Record<string, string>
const copies: Copy[] = []
beforeAll(async () => {
  database = await startTestDatabase()
  smtp = await startTestSmtp()
  folder = await mkdtemp(join(tmpdir(), 'latchkey-test-server-'))
  const project = { id: 'app', name: 'App', apiKey, redirectUrls: ['http://localhost:1/'], allowedOrigins: [] }
  await writeFile(join(folder, 'projects.json'), JSON.stringify([project]))
  copySecrets = {
    LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
  }
  const migration = spawn(process.execPath, [program, 'migrate'], { env: { DATABASE_URL: database.url } })
  expect(await once(migration, 'exit')).toEqual([0, null])
  copies.push(...(await Promise.all([startCopy(copySecrets), startCopy(copySecrets)])))
})
afterAll(async () => {
  for (const { child } of copies) child.kill('SIGKILL')
  await smtp?.close()
  await database?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

type Copy = { child: ChildProcess; url: string }

async function startCopy(secrets: Record<string, string>): Promise<Copy> {
  const port = await freePorts(1)
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...secrets,
      DATABASE_URL: database.url,
      LATCHKEY_MODE: 'development',
      LATCHKEY_ROLES: 'custody,signer-api,mail',
      LATCHKEY_PORT: String(port),
      LATCHKEY_PROJECTS_FILE: join(folder, 'projects.json'),
      LATCHKEY_ROOT_ORGANIZATION_ID: rootOrganizationId,
      LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
      LATCHKEY_ROOT_API_PRIVATE_KEY: rootKey.privateKey,
      LATCHKEY_CUSTODY_URL: url,
      LATCHKEY_AUTH_FRAME_URL: 'http://localhost:2',
      LATCHKEY_EXPORT_FRAME_URL: 'http://localhost:3',
      LATCHKEY_IMPORT_FRAME_URL: 'http://localhost:3',
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_MAIL_FROM: 'a@b.example',
    },
  })
  for await (const line of createInterface({ input: child.stdout }))
    if (JSON.parse(line).msg === 'Ready') {
      child.stdout.resume()
      return { child, url }
    }
  throw new TypeError(`A copy of the server ended with code ${child.exitCode} before it was ready.`)
}

async function post(copy: Copy | undefined, path: string, body: string, headers: Record<string, string>) {
  const response = await fetch(`${copy?.url}${path}`, { method: 'POST', body, headers })
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes.
  return { status: response.status, json: (await response.json()) as any }
}

function beginRequest(url: string, body: string, headers: Record<string, string>) {
  const call = request(url, { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
  const status = new Promise<number | undefined>((resolve, reject) =>
    call.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject),
  )
  call.write(body.slice(0, 5))
  return { status, finish: () => call.end(body.slice(5)) }
}

test('drains on SIGTERM: /readyz turns red and no balanced request fails', async () => {
  const secrets = { ...copySecrets, LATCHKEY_DRAIN_SECONDS: '3' }
  const pair = await Promise.all([startCopy(secrets), startCopy(secrets)])
  copies.push(...pair)
  const isReady = ({ url }: Copy) =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
  const body = JSON.stringify({ organizationId: rootOrganizationId })
  const headers = { 'x-stamp': createStamp(body, rootKey).stampHeaderValue }
  const [ending] = pair
  const slow = beginRequest(`${ending.url}/public/v1/query/whoami`, body, headers)
  const served = new Map(pair.map((copy) => [copy, 0]))
  let isOver = false
  const exited = once(ending.child, 'exit').finally(() => {
    isOver = true
  })
  const statuses: number[] = []
  for (let calls = 0; calls < 2_000 && !isOver; calls++) {
    if (calls === 20) ending.child.kill('SIGTERM')
    if (calls === 40) slow.finish()
    const [copy] = (await Promise.all(pair.map(async (one) => ((await isReady(one)) ? [one] : [])))).flat()
    if (!copy) throw new TypeError('No copy is ready.')
    statuses.push((await post(copy, '/public/v1/query/whoami', body, headers)).status)
    served.set(copy, (served.get(copy) ?? 0) + 1)
  }
  expect(await exited).toEqual([0, null])
  expect(await slow.status).toBe(200)
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect([...served.values()].every((count) => count > 0)).toBe(true)
})
