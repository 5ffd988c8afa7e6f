import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import type { Devnet } from 'latchkey-dev'
import { freePorts, launchBrowser, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import { errorCodes } from 'latchkey-protocol'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BaseError } from '../../packages/latchkey/src/core/errors/BaseError.ts'
import { newEmail } from '../signUp.ts'
import { buildDocs, serveBuiltDocs } from './serveDocs.ts'

// Builds the docs and runs their examples on a devnet.

const root = join(import.meta.dirname, '../..')

let devnet: Devnet
let browser: Browser
let docs: serveBuiltDocs.ReturnType

beforeAll(async () => {
  buildDocs()
  // Reserves the port immediately, because it may be taken during the build.
  docs = await serveBuiltDocs(await freePorts(1))
  ;[devnet, browser] = await Promise.all([
    startTestDevnet({ appUrls: [docs.url], example: false }),
    launchBrowser({ light: true }),
  ])
}, 900_000)

afterAll(async () => {
  await browser?.close()
  await docs?.close()
  await devnet?.close()
})

test("runs the live examples in the reader's own devnet", async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${docs.url}live`)
  // Before hydration, the page would ignore the click.
  await page.locator('html[data-theme] h1').first().waitFor()
  const run = page.getByRole('button', { name: 'Run it' })
  await page.getByLabel('Your devnet').fill('http://localhost:9')
  await run.click()
  await page.getByRole('alert').filter({ hasText: 'No devnet runs at http://localhost:9.' }).waitFor()

  await page.getByLabel('Your devnet').fill(devnet.urls.wallet)
  await run.click()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const email = newEmail('reader')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.keyboard.press('Enter')
  const { code = '' } = await readSignInMail(devnet, email)
  await page.locator('input[autocomplete="one-time-code"]').fill(code)
  await page.getByText(`Signed in as ${email}`).waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText(/^0x[0-9a-f]{64}$/).waitFor()
  await page.getByRole('button', { name: 'Sign “Hello”' }).click()
  await page.getByText(/^0x[0-9a-f]{130,}$/).waitFor()
  await page.close()
})

test.each(['light', 'dark'] as const)('fits a phone and passes axe in %s mode', async (colorScheme) => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, colorScheme })
  const page = await context.newPage()
  for (const path of ['', 'tutorial', 'live', 'guides/sponsorship', 'errors', 'reference/latchkey-react/useSession']) {
    await page.goto(docs.url + path)
    await page.locator(`html[data-theme=${colorScheme}] h1`).first().waitFor()
    expect(await findViolations(page), path).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBe(360)
  }
  await context.close()
})

test('finds a name through the search by keyboard', async () => {
  const page = await browser.newPage()
  await page.goto(docs.url)
  await page.locator('html[data-theme] h1').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('searchbox').fill('useSendUserOperation')
  await page
    .getByRole('option', { name: /useSendUserOperation/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'useSendUserOperation' }).waitFor()
  await page.close()
})

/** Common search queries and the page that answers each. */
const searches = [
  ['gas sponsorship', '/guides/sponsorship'],
  ['useAccount', '/reference/latchkey-react/useAccount'],
  ['logout', '/reference/latchkey-react/useLogout'],
  ['docker', '/operate/install'],
  ['vue', '/guides/plain'],
  ['kubernetes', '/operate/install'],
  ['otp', '/guides/sign-in-form'],
  ['google login', '/guides/social-sign-in'],
  ['social login', '/guides/social-sign-in'],
  ['2fa', '/guides/second-factor'],
  ['custom login form', '/guides/sign-in-form'],
  ['helm', '/operate/install'],
  ['error handling', '/errors'],
  ['balance', '/guides/tokens'],
  ['erc-20 transfer', '/guides/tokens'],
  ['multi chain', '/guides/chains'],
  ['backend', '/guides/backend'],
  ['verify user on my backend', '/guides/backend'],
  ['who is signed in server', '/guides/backend'],
  ['jwt', '/guides/backend'],
  ['siwe', '/guides/backend'],
  ['production', '/guides/production'],
  ['troubleshooting', '/guides/troubleshooting'],
  ['environment variables', '/reference/settings'],
  ['faq', '/guides/faq'],
  ['quickstart', '/tutorial'],
  ['api reference', '/reference/'],
  ['next.js', '/guides/server-rendering'],
] as const

test('finds the page that answers a common question first', async () => {
  const page = await browser.newPage()
  await page.goto(docs.url)
  await page.locator('html[data-theme] h1').first().waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('searchbox')
  const first = page.getByRole('option').first().getByRole('link')
  for (const [query, path] of searches) {
    await field.fill(query)
    await expect.poll(async () => (await first.getAttribute('href'))?.replace(/#.*/, ''), { message: query }).toBe(path)
  }
  await page.close()
})

test('has a section for every type that the reference mentions, and one for every option of createConfig', async () => {
  const { listDocumented, listPages, readMentioned } = await readReference()
  const names = listDocumented()
  const pages = listPages(names)
  const mentioned = names.flatMap(readMentioned).filter(({ isPrivate }) => !isPrivate)
  const missing = new Set(mentioned.map(({ name }) => name).filter((name) => !hasSection(pages.get(name), name)))
  expect([...missing]).toEqual([])
  const options = ['chain', 'apiKey', 'rpcUrl', 'jwt', 'connections', 'endpoints', 'sessionConfig', 'rpId']
  const text = readPage('/reference/latchkey/createConfig')
  expect(options.filter((option) => !text.includes(`### ${option} {#option-${option.toLowerCase()}}`))).toEqual([])
  expect(hasSection('/reference/latchkey/other-types#clientconfig', 'ClientConfig')).toBe(true)
})

test('lists on the page of a hook the errors that a call can end with', () => {
  const text = readPage('/reference/latchkey-react/useSendUserOperation')
  expect(text).toContain('/errors#policy-refused')
  expect(text).toContain('/errors#user-operation-reverted')
  expect(readPage('/reference/latchkey-react/useAuthenticate')).toContain('/errors#otp-invalid')
})

/** Imports the scripts that write the reference, which have no type declarations. */
const readReference = async () =>
  (await import(join(root, 'docs/tools/writeReference.mjs'))) as {
    listDocumented(): Named[]
    listPages(names: Named[]): Map<string, string>
    readMentioned(each: Named): Named[]
  }
type Named = { name: string; isPrivate?: boolean }

const readPage = (path: string) => readFileSync(join(root, `docs${path}.md`), 'utf8')

/** Checks whether a page of the reference, or its section after `#`, documents a name. */
function hasSection(path: string | undefined, name: string): boolean {
  const [page, anchor] = path?.split('#') ?? []
  return page !== undefined && readPage(page).includes(`\n${anchor ? '##' : '#'} ${name}\n`)
}

test('links every error to its place on the errors page, and names each guide in llms.txt', async () => {
  await expect.poll(async () => (await fetch(`${docs.url}errors`)).status).toBe(200)
  const page = await (await fetch(`${docs.url}errors`)).text()
  const paths = Object.values(errorCodes).map((code) => new BaseError('', { code }).docsPath)
  expect(paths.filter((path) => !page.includes(`id="${path.replace('/errors#', '')}"`))).toEqual([])
  const list = await (await fetch(`${docs.url}llms.txt`)).text()
  const config = readFileSync(join(root, 'docs/.vitepress/config.mjs'), 'utf8')
  const guides = [...config.matchAll(/link: '(\/guides\/[\w-]+)'/g)].map(([, link = '']) => link)
  expect(guides.filter((link) => !list.includes(`(${link})`))).toEqual([])
  // Page that an error message links to.
  expect(list).toContain('(/signer)')
})
