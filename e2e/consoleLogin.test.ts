import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { addAuthenticator, launchBrowser } from 'latchkey-dev/testing'
import { listen } from 'latchkey-server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logFailed, logSent } from '../packages/server/src/store/operations.ts'
import type { PasskeyOperator } from '../packages/server/src/webauthn/findPasskeyOperator.ts'
import { type HeldPorts, holdPorts } from './holdPorts.ts'
import { lookAt } from './lookAt.ts'

// Runs the console that `latchkey-server start` serves.

const program = join(import.meta.dirname, '../packages/server/dist/cli/main.js')
let custody: TestCustody
let custodyServer: listen.ReturnType
/** Configuration that custody reads when it starts. */
const trusted: { url: string; operators: PasskeyOperator[] } = { url: '', operators: [] }
let browser: Browser
let folder: string
let common: Record<string, string>
let consoleUrl: string
let held: HeldPorts
let adminPort: number
let admin: ChildProcess
let server: ChildProcess

beforeAll(async () => {
  custody = await startTestCustody({ console: trusted })
  custodyServer = await listen((request, env) => custody.app.fetch(request, env), { port: 0 })
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-login-'))
  writeFileSync(join(folder, 'projects.json'), JSON.stringify(custody.deps.projects))
  held = await holdPorts(2)
  const port = held.base
  adminPort = port + 1
  consoleUrl = `http://localhost:${port}`
  trusted.url = consoleUrl
  common = {
    LATCHKEY_MODE: 'development',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_ADMIN_DATABASE_URL: asRole(custody.store.databaseUrl, 'admin'),
    LATCHKEY_OPERATOR_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_OPERATORS_FILE: join(folder, 'operators.json'),
    LATCHKEY_CONSOLE_URL: consoleUrl,
    LATCHKEY_ADMIN_URL: `http://localhost:${adminPort}`,
    LATCHKEY_CUSTODY_INTERNAL_URL: custodyServer.url,
    LATCHKEY_PROJECTS_FILE: join(folder, 'projects.json'),
    LATCHKEY_DRAIN_SECONDS: '0',
  }
  await held.release(port)
  ;[browser, server] = await Promise.all([launchBrowser(), start('console', port, ['LATCHKEY_OPERATOR'])])
}, 120_000)

afterAll(async () => {
  await browser?.close()
  for (const child of [server, admin]) await end(child)
  await held?.release()
  await custodyServer?.close()
  await custody?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(role: string, port: number, without: readonly string[] = []): Promise<ChildProcess> {
  const kept = Object.entries(common).filter(([name]) => !without.some((start) => name.startsWith(start)))
  const child = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...Object.fromEntries(kept), LATCHKEY_ROLES: role, LATCHKEY_PORT: String(port) },
  })
  for await (const line of createInterface({ input: child.stdout }))
    if (JSON.parse(line).msg === 'Ready') {
      child.stdout.resume()
      return child
    }
  throw new TypeError(`The role ${role} ended before it was ready.`)
}

/** Restarts the admin API and custody, which read the operators only at the start. */
async function restartAdmin(): Promise<void> {
  trusted.operators = JSON.parse(readFileSync(join(folder, 'operators.json'), 'utf8'))
  await end(admin)
  await held.release(adminPort)
  admin = await start('admin', adminPort)
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function operators(...words: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'operators', ...words, '--json'], {
    env: common,
  })
  return JSON.parse(stdout).result
}

async function invite(name: string, role: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const device = await addAuthenticator(page)
  const { link, id } = await operators('invite', '--name', name, '--role', role)
  await page.goto(link)
  await page.getByRole('heading', { name: `${name}, ${role}` }).waitFor()
  await lookAt(page, 'invitation')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('Your passkey was created.').waitFor()
  await lookAt(page, 'line')
  await operators('accept', await page.getByLabel('Line').inputValue())
  return { context, page, device, id }
}

const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test('signs in an invited admin and a viewer by passkey, each with their own rights', async () => {
  // A unique name, because a retry of this test finds the viewer of the first attempt.
  const name = `Vera ${randomBytes(2).toString('hex')}`
  const ada = await invite('Ada', 'admin')
  const vera = await invite(name, 'viewer')
  await restartAdmin()

  await ada.page.goto(`${consoleUrl}/operators`)
  await ada.page.getByText('Sign in with the passkey you created').waitFor()
  await lookAt(ada.page, 'sign-in')
  await ada.page.keyboard.press('Enter')
  await heading(ada.page, 'Operators')
  await ada.page.getByText('Ada · admin').waitFor()
  await ada.page.getByText(name, { exact: true }).waitFor()
  await lookAt(ada.page, 'operators')
  await ada.page.getByRole('link', { name: 'Operations', exact: true }).click()
  await ada.page.getByText('Live', { exact: true }).waitFor()
  await ada.page.getByRole('link', { name: 'Operators', exact: true }).click()
  const [cookie] = await ada.context.cookies()
  expect(cookie).toMatchObject({
    name: '__Host-latchkey-console',
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
    path: '/',
  })
  expect(await ada.page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }))).toBe(
    '{}',
  )

  await vera.page.goto(`${consoleUrl}/operators`)
  await signIn(vera.page)
  await vera.page.getByText(`${name} · viewer`).waitFor()
  await vera.page.getByText('your role is viewer').waitFor()
  const refused = await vera.page.evaluate(async () => {
    const { pageToken } = await (await fetch('/config.json')).json()
    const init = { method: 'POST', headers: { 'x-latchkey-console': pageToken }, body: '{"name":"V","role":"admin"}' }
    const response = await fetch('/admin/v1/operators', init)
    return [response.status, (await response.json()).error.code]
  })
  expect(refused).toEqual([403, 'ROLE_NOT_ALLOWED'])

  // An admin ends the viewer's sessions. The viewer's input must survive the next sign-in.
  await vera.page.getByRole('link', { name: 'Users' }).click()
  const search = vera.page.getByRole('textbox').first()
  await search.fill('someone@user.example')
  await ada.page.reload()
  await ada.page.getByRole('button', { name: `Sign out ${name}` }).click()
  await ada.page.getByRole('button', { name: `Sign out ${name}` }).waitFor({ state: 'detached' })
  await search.press('Enter')
  await vera.page.getByText('Your session ended.').waitFor()
  await lookAt(vera.page, 'ended')
  await signIn(vera.page)
  await heading(vera.page, 'Users')
  expect(await search.inputValue()).toBe('someone@user.example')

  await vera.page.getByRole('button', { name: 'Sign out' }).click()
  await vera.page.getByText('Sign in with the passkey you created').waitFor()
  expect(await vera.context.cookies()).toEqual([])

  // A removed operator can no longer sign in.
  await operators('remove', vera.id)
  await restartAdmin()
  await signIn(vera.page)
  await vera.page.getByRole('alert').filter({ hasText: 'belongs to no operator' }).waitFor()
  await ada.page.goto(`${consoleUrl}/log`)
  for (const action of ['operator.remove', 'session.end', 'operator.signOut', 'session.create'])
    await ada.page.getByText(action, { exact: true }).first().waitFor()
  await Promise.all([ada.context.close(), vera.context.close()])
})

test("freezes, unfreezes and deletes accounts by operators' own passkeys", async () => {
  const user = await custody.createUser({ email: `o'hara&{lost}${randomBytes(4).toString('hex')}@user.example` })
  const hostile = '<img src=x onerror="hacked=1">'
  const { addKeys } = custodyCalls(() => custody)
  await addKeys(user, [newApiKey({ apiKeyName: hostile, expirationSeconds: '900' }).parameters])
  const [bea, cleo] = [await invite('Bea', 'admin'), await invite('Cleo', 'admin')]
  await restartAdmin()
  for (const [name, { page }] of Object.entries({ Bea: bea, Cleo: cleo })) {
    await page.goto(`${consoleUrl}/users/${user.orgId}`)
    await signIn(page)
    await page.getByText(`${name} · admin`).waitFor()
  }
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name: `Yes: ${name}` }).click()
  }
  const whoami = async () =>
    (await custody.call('query/whoami', { organizationId: user.orgId }, user.key)).body.details?.[0].turnkeyErrorCode

  await lookAt(bea.page, 'person')
  // The session's name is untrusted text.
  await press(bea.page, `End ${hostile}`)
  await bea.page.getByText(hostile, { exact: true }).waitFor({ state: 'detached' })
  expect(await bea.page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  expect(await whoami()).toBeUndefined()
  await press(bea.page, 'Freeze account')
  await bea.page.getByText(/^Frozen since/).waitFor()
  await lookAt(bea.page, 'frozen')
  expect(await whoami()).toBe('ORGANIZATION_FROZEN')
  await press(bea.page, 'Unfreeze account')
  await bea.page.getByRole('alert').filter({ hasText: 'You froze this account.' }).waitFor()
  // Stamps contain the server's time, so the device's wrong clock must not matter.
  await cleo.page.clock.setSystemTime(Date.now() + 3 * 3_600_000)
  await cleo.page.reload()
  await cleo.page.getByText('This device’s clock is 3 h ahead of the server.').waitFor()
  await press(cleo.page, 'Unfreeze account')
  await cleo.page.getByText(/^Frozen since/).waitFor({ state: 'detached' })
  expect(await whoami()).toBeUndefined()

  await press(cleo.page, 'End all sessions')
  await expect.poll(whoami).toBe('CREDENTIAL_NOT_FOUND')

  await press(cleo.page, 'Request deletion')
  await cleo.page.getByText('You requested deletion of this account').waitFor()
  expect(await cleo.page.getByRole('button', { name: 'Confirm deletion' }).count()).toBe(0)
  await bea.page.reload()
  await bea.page.getByText('Cleo requested deletion of this account').waitFor()
  await lookAt(bea.page, 'waiting')
  await press(bea.page, 'Confirm deletion')
  await bea.page.getByText(/^Being deleted: keys will be destroyed on/).waitFor()

  // Call data and bundler errors are untrusted text, too.
  const [projectId, userOpHash] = [custody.deps.projects?.[0]?.id ?? '', `0x${randomBytes(32).toString('hex')}`]
  const key = { chainId: 1, entryPoint: `0x${'e0'.repeat(20)}`, sender: user.address, nonce: 1n, paymaster: null }
  const callData = `0x${'fe'.repeat(60_000)}`
  await logSent(custody.store.db, { ...key, userOpHash, projectId, request: JSON.stringify([{ callData }]) })
  await bea.page.goto(`${consoleUrl}/operations/${userOpHash}`)
  await bea.page.getByText('Show all 60,000 bytes').waitFor()
  await lookAt(bea.page, 'huge')
  await logFailed(custody.store.db, { userOpHash, projectId, failure: hostile })
  await bea.page.getByText(hostile).first().waitFor()
  expect(await bea.page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  await Promise.all([bea.context.close(), cleo.context.close()])
})
