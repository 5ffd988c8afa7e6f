import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Devnet } from 'latchkey-dev'
import { launchBrowser, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signInModules } from '../firstLoad.ts'
import { type HeldPorts, holdPorts } from '../holdPorts.ts'
import { newEmail } from '../signUp.ts'
import { type Example, installPacked, runExample } from './runExample.ts'

const next = 'node_modules/next/dist/bin/next'
const vite = 'node_modules/vite/bin/vite.js'
const examples: Example[] = [
  { name: 'next', build: [[next, 'build']], serve: (port) => [next, 'start', '-p', String(port)] },
  {
    name: 'viteSsr',
    build: [
      ['node_modules/typescript/bin/tsc'],
      [vite, 'build', '--outDir', 'dist/client', '--manifest', '--logLevel', 'warn'],
      [vite, 'build', '--ssr', 'src/entryServer.tsx', '--outDir', 'dist/server', '--logLevel', 'warn'],
    ],
    serve: () => ['server.mjs'],
  },
]
const cookieName = 'alchemy-account-state'

let devnet: Devnet
let browser: Browser
let held: HeldPorts
const apps = new Map<string, Awaited<ReturnType<typeof runExample>>>()

beforeAll(async () => {
  held = await holdPorts(examples.length + 1)
  const appUrls = examples.map((_, index) => `http://localhost:${held.base + index}/callback`)
  ;[devnet, browser] = await Promise.all([startTestDevnet({ example: false, appUrls }), launchBrowser()])
  installPacked(examples.map(({ name }) => name))
  const base = new URL(devnet.urls.wallet).port
  const env = { NEXT_PUBLIC_LATCHKEY_PORT: base, VITE_LATCHKEY_PORT: base }
  for (const [index, example] of examples.entries()) {
    const port = held.base + index
    apps.set(example.name, await runExample(example, { port, env, release: () => held.release(port) }))
  }
}, 900_000)

afterAll(async () => {
  for (const app of apps.values()) await app.close()
  await held?.release()
  await browser?.close()
  await devnet?.close()
})

/** Opens a browser. Errors and warnings in its console fail the test. */
async function openBrowser() {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const said: string[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(`${message.type()}: ${message.text()}`)
  })
  context.on('weberror', (error) => said.push(String(error.error())))
  const requested = new Set<string>()
  context.on('request', (request) => void requested.add(request.url()))
  return { context, said, requested }
}

type Manifest = Record<string, { file: string; name?: string; isEntry?: boolean; imports?: string[] }>

/** Returns the scripts in the Vite example that `react/sign-in/all` of the bench measures. */
function listSignInScripts(): string[] {
  const path = new URL('../../examples/viteSsr/dist/client/.vite/manifest.json', import.meta.url)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  const found = new Set<string>()
  const add = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || found.has(chunk.file)) return
    found.add(chunk.file)
    chunk.imports?.forEach(add)
  }
  for (const [key, { name = '', isEntry }] of Object.entries(manifest))
    if (isEntry || signInModules.includes(name)) add(key)
  return [...found].filter((file) => file.endsWith('.js')).sort()
}

const addressIn = (page: Page) => page.getByRole('status', { name: 'Account address' })

/** Signs a new user up by link. Returns the second tab. */
async function signUp(context: BrowserContext, url: string, email: string): Promise<Page> {
  const asking = await context.newPage()
  await asking.goto(url)
  const button = asking.getByRole('main').getByRole('button', { name: 'Sign in' })
  // Before hydration, the page would ignore the click.
  await expect
    .poll(() => button.evaluate((place) => Object.keys(place).some((name) => /^__react/.test(name))))
    .toBe(true)
  await button.click()
  const dialog = asking.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const { link } = await readSignInMail(devnet, email, { linkTo: `${url}/callback` })
  const page = await context.newPage()
  await page.goto(link)
  await addressIn(page).filter({ hasText: /^0x/ }).waitFor()
  await asking.close()
  return page
}

async function readCookie(context: BrowserContext) {
  const cookie = (await context.cookies()).find(({ name }) => name === cookieName)
  expect(cookie).toBeDefined()
  return cookie ?? expect.fail('no cookie')
}

describe.each(examples.map(({ name }) => name))('%s', (name) => {
  const urlOf = () => apps.get(name)?.url ?? ''

  test('renders the user who signed in by mail on the server, and nobody else', async () => {
    const { context, said, requested } = await openBrowser()
    const email = newEmail()
    const page = await signUp(context, urlOf(), email)
    const address = (await addressIn(page).textContent()) ?? ''
    expect(new URL(page.url()).search).toBe('')

    // The cookie must last as long as the session.
    const cookie = await readCookie(context)
    const session = await page.evaluate(() => JSON.parse(localStorage['alchemy-signer-session']).state.session)
    expect(cookie).toMatchObject({ path: '/', sameSite: 'Lax', secure: false, httpOnly: false })
    expect(Math.abs(cookie.expires * 1000 - session.expirationDateMs)).toBeLessThan(2000)
    expect(cookie.name.length + cookie.value.length).toBeLessThan(2000)
    expect(decodeURIComponent(cookie.value)).not.toMatch(/initCode|bundle|apiKey|latchkey-dev|http/)
    expect(decodeURIComponent(cookie.value)).not.toContain(session.bundle)

    // The hydrated page must show what the server rendered.
    const response = await page.goto(urlOf())
    const html = (await response?.text()) ?? ''
    expect(html).toContain(address)
    expect(html).toContain(email)
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).click()
    await page
      .getByRole('status', { name: 'Transaction' })
      .filter({ hasText: /^0x[0-9a-f]{64}$/ })
      .waitFor()
    expect(await addressIn(page).textContent()).toBe(address)
    if (name === 'viteSsr') {
      const scripts = [...requested].filter((url) => url.startsWith(urlOf()) && url.endsWith('.js'))
      const fetched = scripts.map((url) => new URL(url).pathname.slice(1))
      const counted = listSignInScripts()
      expect(fetched.filter((file) => !counted.includes(file))).toEqual([])
      const isFetched = (module: string) => fetched.some((file) => file.startsWith(`assets/${module}-`))
      expect(signInModules.filter((module) => !isFetched(module))).toEqual([])
    }

    const stranger = await (await fetch(urlOf())).text()
    expect(stranger).not.toContain(email)
    expect(stranger).toContain('Sign in')

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor()
    const after = (await (await page.reload())?.text()) ?? ''
    expect(after).not.toContain(email)
    expect(after).toContain('Sign in')
    expect(said).toEqual([])
    await context.close()
  })

  test('corrects a forged cookie in the page without a warning', async () => {
    const { context, said } = await openBrowser()
    const page = await signUp(context, urlOf(), newEmail())
    const address = (await addressIn(page).textContent()) ?? ''
    const cookie = await readCookie(context)
    const forged = `0x${'bb'.repeat(20)}`
    // Otherwise the page could write the cookie again before it is reloaded.
    await page.goto('about:blank')
    await context.addCookies([{ ...cookie, value: cookie.value.replaceAll(address, forged) }])
    const html = (await (await page.goto(urlOf()))?.text()) ?? ''
    expect(html).toContain(forged)
    await addressIn(page).filter({ hasText: address }).waitFor()
    expect(await page.content()).not.toContain(`>${forged}<`)

    // Simulates a session that was ended elsewhere, whose cookie still exists.
    await context.addCookies([{ ...cookie, value: cookie.value }])
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor()
    expect(said).toEqual([])
    await context.close()
  })

  // packages/latchkey/src/wallet/cookies covers other forms of invalid cookies.
  test('ignores a hostile cookie', async () => {
    const value = encodeURIComponent(
      JSON.stringify({
        version: 1,
        state: {
          signerStatus: { status: 'CONNECTED' },
          user: {
            email: '</script><script>alert(1)</script>',
            orgId: 'o',
            userId: 'u',
            address: `0x${'1'.repeat(40)}`,
          },
          chainId: 1e21,
          accountConfigs: { 31337: { LightAccount: { accountAddress: `0x${'2'.repeat(40)}` } } },
        },
      }),
    )
    const { context, said } = await openBrowser()
    await context.addCookies([{ name: cookieName, value, url: urlOf() }])
    const page = await context.newPage()
    let alerts = 0
    page.on('dialog', async (dialog) => {
      alerts++
      await dialog.dismiss()
    })
    const response = await page.goto(urlOf())
    expect(response?.status()).toBe(200)
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).waitFor()
    expect([alerts, said]).toEqual([0, []])
    await context.close()
  })
})

test('compiles the Next.js app of create-latchkey, and its own tests pass', {
  timeout: 900_000,
}, async () => {
  const folder = fileURLToPath(new URL('../../examples/next/.cache/created', import.meta.url))
  rmSync(folder, { recursive: true, force: true })
  const program = fileURLToPath(new URL('../../packages/create/dist/main.js', import.meta.url))
  execFileSync(process.execPath, [program, folder, '--template', 'next', '--json'])
  // The app uses the packages of the example that contains its folder.
  const config = join(folder, 'next.config.ts')
  writeFileSync(config, readFileSync(config, 'utf8').replace('import.meta.dirname', "import.meta.dirname + '/../..'"))
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, ...inherited } = process.env
  const port = held.base + examples.length
  const bin = [join(folder, '../../node_modules/.bin'), join(folder, '../../../../node_modules/.bin'), inherited.PATH]
  const env = {
    ...inherited,
    PATH: bin.join(delimiter),
    PORT: String(port),
    CI: '1',
    FORCE_COLOR: '0',
    NEXT_TELEMETRY_DISABLED: '1',
  }
  const run = (name: string, ...args: string[]) =>
    promisify(execFile)(name, args, { cwd: folder, env, timeout: 400_000 }).catch((error: { stdout: string }) => error)
  expect((await run('tsc', '--noEmit')).stdout).toBe('')
  await held.release(port)
  // The app's own tests start its server and a devnet.
  expect((await run('playwright', 'test', '--reporter=line', '--workers=1')).stdout).toMatch(/^ +3 passed/m)
})
