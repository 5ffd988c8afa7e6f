import { authenticate, sign } from '@latchkey/testkit/signer/devnetTabs'
import { pageHtml, pageScript } from '@latchkey/testkit/signer/startPage'
import { startTestSignerApi, type TestSignerApi } from '@latchkey/testkit/signerApi'
import { type HostFetch, type Hosts, startHosts } from '@latchkey/testkit/startHosts'
import { addAuthenticator, launchBrowser } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

// Related origins (WebAuthn Level 3, § 5.11) require https.

const rpId = 'shop.test'
const related = 'https://other.test'
/** Site that custody accepts, but the relying party does not list. */
const unlisted = 'https://unlisted.test'
const apps = ['https://app.shop.test', 'https://pay.shop.test', related, unlisted]
const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
const logIn = { type: 'passkey', createNew: false } as const

let devnet: TestSignerApi
let hosts: Hosts
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  devnet = await startTestSignerApi({ project: { allowedOrigins: apps, redirectUrls: apps.map((url) => `${url}/`) } })
  const [script, html] = [await pageScript(), pageHtml({ signerApiUrl: 'https://signer.shop.test', rpId })]
  const app: HostFetch = ({ url }) =>
    new URL(url).pathname === '/page.js'
      ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
      : new Response(html, { headers: { 'content-type': 'text/html' } })
  hosts = await startHosts({
    ...Object.fromEntries(apps.map((url) => [new URL(url).host, app])),
    'signer.shop.test': (request, env) => devnet.app.fetch(request, env),
    [rpId]: ({ url }) =>
      new URL(url).pathname === '/.well-known/webauthn'
        ? Response.json({ origins: [related] })
        : new Response(null, { status: 404 }),
  })
  browser = await launchBrowser({ args: hosts.browserArgs })
})
beforeEach(async () => {
  context = await browser.newContext()
})
afterEach(() => context?.close())
afterAll(async () => {
  await browser?.close()
  await Promise.all([hosts?.close(), devnet?.close()])
})

async function open(url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => window.page !== undefined)
  return page
}

test('signs in and signs on another subdomain and on a related site', async () => {
  const first = await open('https://app.shop.test')
  let device = await addAuthenticator(first)
  const { user } = await authenticate(first, createNew)
  expect(user?.address).toMatch(/^0x/)
  expect(await device.credentials()).toEqual([expect.objectContaining({ rpId })])
  for (const url of ['https://pay.shop.test', related]) {
    const page = await open(url)
    // The signature counter must not decrease between pages.
    device = await device.copyTo(page)
    expect(await authenticate(page, logIn)).toMatchObject({ user: { address: user?.address } })
    expect(await sign(page)).toBe(user?.address)
  }
})

test('names both sites when the relying party does not list one', async () => {
  const page = await open(unlisted)
  await addAuthenticator(page)
  for (const parameters of [createNew, logIn]) {
    const { code, message } = await authenticate(page, parameters)
    expect(code).toBe('PASSKEY_FAILED')
    expect(message).toContain('unlisted.test may not use passkeys of shop.test')
    expect(message).toContain('/.well-known/webauthn')
  }
})
