import type { Devnet } from 'latchkey-dev'
import { launchBrowser, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createPublicClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HeldPorts, holdPorts } from '../holdPorts.ts'
import { newEmail } from '../signUp.ts'
import { type App, buildApp } from './buildApp.ts'

// Builds the examples like a reader of the docs. They share one devnet and one browser.

const names = ['plain', 'vue', 'svelte', 'wagmi'] as const
type Name = (typeof names)[number]

let held: HeldPorts
let devnet: Devnet
let browser: Browser
const apps = {} as Record<Name, App>

beforeAll(async () => {
  held = await holdPorts(names.length)
  const { base } = held
  const appUrls = names.map((_, index) => `http://localhost:${base + index}/`)
  ;[devnet, browser] = await Promise.all([startTestDevnet({ appUrls, example: false }), launchBrowser()])
  const { signerApi, gateway, node } = devnet.urls
  const variables = { VITE_SIGNER_API_URL: signerApi, VITE_GATEWAY_URL: gateway, VITE_NODE_URL: node }
  for (const [index, name] of names.entries()) {
    const port = base + index
    apps[name] = await buildApp(name, { port, variables, release: () => held.release(port) })
  }
})

afterAll(async () => {
  await browser?.close()
  for (const app of Object.values(apps)) await app.close()
  await held?.release()
  await devnet?.close()
})

const reader = () => createPublicClient({ transport: http(devnet.urls.node) })
const receiptOf = async (hash: string | null) => (await reader().getTransactionReceipt({ hash: hash as Hex })).status

async function inContext(use: (context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  try {
    await use(context)
  } finally {
    await context.close()
  }
}

const output = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const textOf = async (page: Page, name: string) => (await output(page, name).textContent())?.trim() ?? ''
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function shown(page: Page, name: string, form: RegExp): Promise<string> {
  let text = ''
  const read = async () => {
    text = await textOf(page, name)
    return text
  }
  await expect.poll(read).toMatch(form)
  return text
}

const address = /^0x[0-9a-fA-F]{40}$/
const hash = /^0x[0-9a-f]{64}$/

test.each(['plain', 'vue', 'svelte'] as const)('signs in, sends and logs out in %s', async (name) => {
  await inContext(async (context) => {
    const page = await context.newPage()
    await page.goto(apps[name].url)
    const email = newEmail(name)
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await press(page, 'Sign in')
    const { link } = await readSignInMail(devnet, email, { linkTo: apps[name].url })
    const second = await context.newPage()
    await second.goto(link)
    const account = await shown(second, 'Account address', address)
    expect(await shown(page, 'Account address', address)).toBe(account)

    await press(page, 'Send')
    expect(await receiptOf(await shown(page, 'Outcome', hash))).toBe('success')
    await press(page, 'Log out')
    for (const tab of [page, second]) await tab.getByRole('textbox', { name: 'Email' }).waitFor()
  })
})

test.each(['plain', 'vue', 'svelte'] as const)('bundles no React into %s', (name) => {
  const { modules } = apps[name]
  expect(modules.filter((id) => /packages\/latchkey\//.test(id)).length).toBeGreaterThan(0)
  expect(modules.filter((id) => /node_modules\/(react|react-dom|scheduler|@tanstack)\//.test(id))).toEqual([])
  expect(modules.filter((id) => /latchkey\/dist\/react\//.test(id))).toEqual([])
})

test.each(names)('builds %s without warnings', (name) => {
  expect(apps[name].warnings).toEqual([])
})

test('bundles the connector only where it is imported', () => {
  const has = (name: Name) => apps[name].modules.some((id) => /latchkey\/dist\/wagmi\//.test(id))
  expect(names.filter(has)).toEqual(['wagmi'])
})

async function connect(page: Page, email: string): Promise<string> {
  await press(page, 'Connect')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const { code = '' } = await readSignInMail(devnet, email)
  await dialog.getByRole('textbox', { name: 'Enter the code from the email' }).fill(code)
  return shown(page, 'Account address', address)
}

test("runs wagmi's own hooks", async () => {
  await inContext(async (context) => {
    const page = await context.newPage()
    await page.goto(apps.wagmi.url)
    await shown(page, 'Status', /^disconnected$/)
    const account = (await connect(page, newEmail('wagmi'))) as Hex
    await shown(page, 'Status', /^connected$/)
    const chain = await textOf(page, 'Chain')
    expect(chain).toBe(String(devnet.chainId))

    await press(page, 'Sign message')
    const signature = (await shown(page, 'Message', /^0x/)) as Hex
    expect(await reader().verifyMessage({ address: account, message: 'tea', signature })).toBe(true)
    await press(page, 'Send')
    expect(await receiptOf(await shown(page, 'Transaction', hash))).toBe('success')
    await press(page, 'Send calls')
    await shown(page, 'Calls', /^success$/)
    await press(page, 'Sign typed data')
    const typed = (await shown(page, 'Typed data', /^0x/)) as Hex
    const domain = { name: 'Shop', chainId: devnet.chainId }
    const types = { Order: [{ name: 'item', type: 'string' }] } as const
    const data = { domain, types, primaryType: 'Order', message: { item: 'tea' } } as const
    expect(await reader().verifyTypedData({ ...data, address: account, signature: typed })).toBe(true)

    await press(page, 'Switch chain')
    await shown(page, 'Chain', /^11155111$/)
    await shown(page, 'Account address', address)
    await press(page, 'Switch chain')
    await expect.poll(() => textOf(page, 'Chain')).toBe(chain)
    await expect.poll(() => textOf(page, 'Account address')).toBe(account)

    // wagmi's `reconnect` must resume the session, even in a tab that never connected.
    await page.reload()
    expect(await shown(page, 'Account address', address)).toBe(account)
    const second = await context.newPage()
    await second.goto(apps.wagmi.url)
    expect(await shown(second, 'Account address', address)).toBe(account)
    // Waits for the connection, because wagmi shows a stored address before its connector can disconnect.
    for (const tab of [page, second]) await shown(tab, 'Status', /^connected$/)
    await press(page, 'Disconnect')
    for (const tab of [page, second]) await shown(tab, 'Status', /^disconnected$/)
    await page.reload()
    await shown(page, 'Status', /^disconnected$/)
  })
})
