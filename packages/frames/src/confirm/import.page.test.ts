import { startTestCustody, type TestCustody, walletParameters } from '@latchkey/testkit/custody'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { test } from '@latchkey/testkit/worker'
import { confirmationPagePath } from 'latchkey-protocol'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { custodyApp } from '../../../server/src/custody/app.ts'
import { framesApp } from '../../../server/src/frames/app.ts'
import { listen } from '../../../server/src/platform/http/listen.ts'

// Runs on the served page with real custody.

const junk = 'test test test test test test test test test test test junk'
const junkAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const junkKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

let browser: Browser
let context: BrowserContext
let custody: TestCustody
let service: listen.ReturnType
let frames: listen.ReturnType
test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  custody = await startTestCustody({ project: { name: 'Example Wallet', confirmations: 'mail' } })
  let app: Pick<Awaited<ReturnType<typeof custodyApp>>, 'fetch'> = custody.app
  service = await listen((request, env) => app.fetch(request, env), { port: 0 })
  const bundleSigningPublicKey = custody.bundleSigner
  const pages = await framesApp({ page: 'auth', projects: [], custodyUrl: service.url, bundleSigningPublicKey })
  frames = await listen((request, env) => pages.fetch(request, env), { port: 0 })
  app = await custodyApp({ ...custody.deps, confirmationUrl: `${frames.url}${confirmationPagePath}` })
})
afterAll(async () => {
  await Promise.all([frames?.close(), service?.close()])
  await custody?.close()
})
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 360, height: 740 } })
})
afterEach(() => context.close())

const common = {
  import_wallet: { walletName: 'Imported', accounts: walletParameters.accounts },
  import_private_key: {
    privateKeyName: 'Imported',
    curve: 'CURVE_SECP256K1',
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  },
} as const

/** Requests an import without a secret, and opens the link of its email. */
async function openImport(call: keyof typeof common) {
  const user = await custody.createUser()
  const type = `ACTIVITY_TYPE_${call.toUpperCase()}`
  const request = custody.activity(type, user.orgId, { userId: user.userId, ...common[call] })
  const send = async () => (await custody.call(`submit/${call}`, request, user.key)).body.activity
  const { content } = await custody.readQueued((await send()).id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  const page = await context.newPage()
  const sent: string[] = []
  page.on('request', (asked) => sent.push(asked.postData() ?? ''))
  await page.goto(`${frames.url}${confirmationPagePath}#${secret}`)
  return { user, page, send, sent }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function expectClean(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
}

test('takes a recovery phrase on its own page, which leaves it sealed', async () => {
  const { user, page, send, sent } = await openImport('import_wallet')
  await heading(page, 'Import a recovery phrase?')
  const text = await page.locator('main').textContent()
  for (const part of ['Example Wallet', user.email, user.address]) expect(text).toContain(part)
  await expectClean(page)
  const field = page.getByRole('textbox', { name: 'Recovery phrase' })
  await field.fill(`${junk} test`)
  await button(page, 'Import').click()
  await page.getByRole('alert').filter({ hasText: 'a recovery phrase has 12, 15, 18, 21 or 24' }).waitFor()
  expect((await send()).status).toBe('ACTIVITY_STATUS_PENDING')
  await field.fill(junk)
  await page.getByText('A recovery phrase of 12 words.').waitFor()
  await expectClean(page)
  await button(page, 'Import').click()
  await heading(page, 'Imported')
  expect(await page.locator('#typed').inputValue()).toBe('')
  const done = await send()
  expect(done.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(done.result.importWalletResult.addresses).toEqual([junkAddress])
  for (const body of sent) expect(body).not.toContain('junk')
})

test('takes a private key, and no phrase in its place', async () => {
  const { page, send } = await openImport('import_private_key')
  await heading(page, 'Import a private key?')
  const field = page.getByRole('textbox', { name: 'Private key' })
  await field.fill(junk)
  await button(page, 'Import').click()
  await page.getByRole('alert').filter({ hasText: 'This is a recovery phrase' }).waitFor()
  await field.fill(junkKey)
  await button(page, 'Import').click()
  await heading(page, 'Imported')
  const [{ address }] = (await send()).result.importPrivateKeyResult.addresses
  expect(address).toBe(junkAddress)
})

test('keeps the input when the service is unreachable, and hides it while the tab is hidden', async () => {
  const { page, send } = await openImport('import_wallet')
  await heading(page, 'Import a recovery phrase?')
  const field = page.getByRole('textbox', { name: 'Recovery phrase' })
  await field.fill(junk)
  await button(page, 'Show').click()
  await button(page, 'Hide').waitFor()
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await button(page, 'Show').waitFor()
  await page.route('**/confirmation/*', (route) => route.abort())
  await button(page, 'Import').click()
  await page.getByRole('alert').filter({ hasText: 'Nothing was decided; try again.' }).waitFor()
  expect(await field.inputValue()).toBe(junk)
  await page.unroute('**/confirmation/*')
  await button(page, 'Decline').click()
  await heading(page, 'Declined')
  expect(await page.locator('#typed').inputValue()).toBe('')
  expect((await send()).status).toBe('ACTIVITY_STATUS_REJECTED')
})
