import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { startTestDatabase } from '@latchkey/testkit/database'
import { exportWallet, type Place, signHash, signUp } from '@latchkey/testkit/faults/person'
import { startTestSmtp, type TestSmtp } from '@latchkey/testkit/smtp'
import { type Hex, hashMessage, recoverAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'

/**
 * The server of the commit of the first migration, on the schema of today and beside the server of today: what a rolling upgrade
 * needs. `scripts/packBaseline.mjs` made the file; its packages are those of this tree.
 */
const packed = new URL('../../../testkit/src/baseline/server.mjs.gz', import.meta.url)
const today = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

let folder: string
let baseline: string
let smtp: TestSmtp
let database: Awaited<ReturnType<typeof startTestDatabase>>
const running: ChildProcess[] = []
const rootKey = createApiKeyPair()
const bundleSigningKey = randomBytes(32).toString('hex')
const apiKey = `app-${randomUUID()}`
let environment: Record<string, string>

beforeAll(async () => {
  // Below the packages that it imports.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'baseline-'))
  baseline = join(folder, 'server.mjs')
  writeFileSync(baseline, gunzipSync(readFileSync(packed)))
  const projects = join(folder, 'projects.json')
  const project = { id: 'app', name: 'App', apiKey, redirectUrls: ['http://localhost:1/'], allowedOrigins: [] }
  writeFileSync(projects, JSON.stringify([project]))
  smtp = await startTestSmtp()
  database = await startTestDatabase({ migrated: true })
  environment = {
    DATABASE_URL: database.url,
    LATCHKEY_MODE: 'development',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_PROJECTS_FILE: projects,
    LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_BUNDLE_SIGNING_KEY: bundleSigningKey,
    LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
    LATCHKEY_ROOT_API_PRIVATE_KEY: rootKey.privateKey,
    LATCHKEY_SMTP_URL: smtp.url,
    LATCHKEY_MAIL_FROM: 'App <no-reply@app.example>',
    LATCHKEY_AUTH_FRAME_URL: 'http://localhost:2',
    LATCHKEY_EXPORT_FRAME_URL: 'http://localhost:3',
    LATCHKEY_IMPORT_FRAME_URL: 'http://localhost:3',
  }
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await smtp?.close()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(program: string, roles: string): Promise<{ place: Place; stop(): Promise<void> }> {
  const port = await freePorts(1)
  const url = `http://localhost:${port}`
  const child = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...environment, LATCHKEY_ROLES: roles, LATCHKEY_PORT: String(port), LATCHKEY_CUSTODY_URL: url },
  })
  running.push(child)
  let printed = ''
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`
    if (!line.includes('"msg":"Ready"')) continue
    child.stdout.resume()
    const ways = { custody: { url }, signerApi: { url } }
    const bundleSigner = bundleSigningPublicKey(bundleSigningKey)
    return {
      place: { apiKey, bundleSigner, smtp, secrets: new Set<string>(), ways, bindsQueries: program === today },
      async stop() {
        child.kill('SIGTERM')
        await once(child, 'exit')
      },
    }
  }
  throw new TypeError(`${program} ended before it was ready: ${printed}`)
}

const hash = (text: string) => hashMessage(text)
const recoverSigner = (text: string, signature: Hex) => recoverAddress({ hash: hash(text), signature })

test('default: the baseline signs up, signs, lists and exports on the newest schema, and goes on beside the newest server', async () => {
  const before = await start(baseline, 'custody,signer-api,mail')
  const anna = await signUp(before.place)
  expect(await recoverSigner('one', await signHash(before.place, anna, hash('one')))).toBe(anna.address)
  await exportWallet(before.place, anna)
  await before.stop()

  const [{ place: old }, { place: young }] = await Promise.all([
    start(baseline, 'custody,signer-api'),
    start(today, 'custody,signer-api,mail'),
  ])
  const bert = await signUp(young)
  const clara = await signUp(old)
  for (const person of [anna, bert, clara])
    for (const place of [old, young])
      expect(await recoverSigner('two', await signHash(place, person, hash('two')))).toBe(person.address)
  const verify = promisify(execFile)(process.execPath, [today, 'audit', 'verify'], { env: environment })
  await expect(verify).resolves.toBeDefined()
})
