import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import { serveAtWallet } from './serveAtWallet.ts'
import { newEmail, signInByCode } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

// Runs the README's app, an app at an origin that the devnet does not allow, and the wallet over slow or lost
// connections.

const stage = setStage()

const entry = `
import { createRoot } from 'react-dom/client'
import { createConfig } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { LatchkeyProvider, useAuthModal } from 'latchkey/react'
import { latchkeyEndpoints } from 'latchkey/signer'
import '/packages/latchkey/src/react/ui/styles.css'

const { nodeUrl, gatewayUrl, signerApiUrl, apiKey } = window.given
const chain = defineLatchkeyDevChain({ nodeUrl, gatewayUrl })
const config = createConfig({ chain, apiKey, endpoints: latchkeyEndpoints(signerApiUrl) })
const Page = () => <button onClick={useAuthModal().openAuthModal}>Open</button>
createRoot(document.getElementById('root')).render(<LatchkeyProvider config={config} uiConfig={{}}><Page /></LatchkeyProvider>)
`

/** Entry point as in Vite's React template. It renders the README's `src/App.tsx`. */
const readme = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import App from '/examples/readme/App.tsx'

createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>)
`

let app: Listening
let snippet: Listening
let context: BrowserContext
beforeAll(async () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  app = await serveEntry(root, entry)
  snippet = await serveEntry(root, readme)
})
afterAll(async () => {
  await Promise.all([app?.close(), snippet?.close()])
})

async function open(url: string): Promise<Page> {
  const page = await context.newPage()
  const { urls, apiKey } = stage.devnet
  const given = { nodeUrl: urls.node, gatewayUrl: urls.gateway, signerApiUrl: urls.signerApi, apiKey }
  await page.addInitScript((value) => Object.assign(window, { given: value }), given)
  await page.goto(url)
  return page
}

/** Opens a context. `page` replaces the wallet at its URL. */
async function newContext(page?: Listening) {
  context = await stage.newContext({ reducedMotion: 'reduce', viewport: { width: 360, height: 740 } })
  if (page) await serveAtWallet(context, stage.devnet, page.url)
}

test("signs in and sends with the README's snippet as App.tsx", async () => {
  await newContext(snippet)
  const page = await context.newPage()
  // Replaces the default ports in the served code. With `latchkeyDevnet(url)`, the README's app would differ.
  await page.route(`${stage.devnet.urls.wallet}/**/*.js`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const code = await (await fetch(`${snippet.url}${pathname}`)).text()
    await route.fulfill({
      contentType: 'text/javascript',
      body: code.replaceAll('http://localhost:4100', stage.devnet.urls.wallet),
    })
  })
  await page.goto(stage.devnet.urls.wallet)
  const email = newEmail('readme')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.keyboard.press('Enter')
  const code = dialog.getByRole('textbox', { name: 'Enter the code from the email' })
  await code.waitFor()
  await code.fill((await readSignInMail(stage.devnet, email)).code ?? '')
  await page.getByRole('button', { name: /^Send from 0x/ }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^(Sending …|0x[0-9a-f]{64})$/ })
    .waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^0x[0-9a-f]{64}$/ })
    .waitFor()
})

test('tells an unknown app in dialog and console how to register', async () => {
  await newContext()
  const { origin } = new URL(app.url)
  const page = await open(origin)
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Email' }).fill(newEmail('stranger'))
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('The service could not be reached.').waitFor()
  await alert.getByText('Details', { exact: true }).click()
  await alert.getByText(`--app-url ${origin}`).waitFor()
  await expect.poll(() => said.join('\n')).toContain(`--app-url ${origin}`)
})

test('becomes usable from few small files without any server', async () => {
  await newContext()
  const page = await context.newPage()
  const html = await (await fetch(stage.devnet.urls.wallet)).text()
  const needed: Request[] = []
  await page.route('**/*', (route) => {
    const request = route.request()
    const { origin, pathname } = new URL(request.url())
    const isNamed = pathname === '/' || html.includes(`"./${pathname.slice(1)}"`)
    // All other requests hang.
    if (origin !== stage.devnet.urls.wallet || !isNamed) return
    if (request.resourceType() !== 'image') needed.push(request)
    return route.continue()
  })
  await page.goto(stage.devnet.urls.wallet)
  await page.getByRole('button', { name: 'Sign in' }).and(page.locator(':enabled')).waitFor()
  const sizes = await Promise.all(needed.map((request) => request.sizes()))
  // Two round trips: one for the HTML, one for the rest over the six connections that a browser opens.
  expect(needed.length).toBeLessThanOrEqual(1 + 6)
  expect(sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)).toBeLessThan(108_000)
})

test('reports a lost connection, keeps the address and works again afterwards', async () => {
  await newContext()
  const email = newEmail('offline')
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  await wallet.askForMail(email)
  await wallet.code.waitFor()
  await context.setOffline(true)
  const { code = '' } = await readSignInMail(stage.devnet, email)
  await wallet.code.fill(code)
  await wallet.alert.first().waitFor()
  await context.setOffline(false)
  // The code was not used up, so the user can type it again.
  await wallet.code.fill('')
  await wallet.code.fill(code)
  await wallet.skip.click()
  const address = await wallet.signedInAddress()
  await context.setOffline(true)
  await wallet.mint.click()
  await wallet.alert.first().waitFor()
  expect(await wallet.signedInAddress()).toBe(address)
  await context.setOffline(false)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
})

test('explains a stopped server in plain words and still logs out', async () => {
  await newContext()
  const email = newEmail('stopped')
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  await wallet.askForMail(email)
  await signInByCode(wallet, stage.devnet, email)
  await wallet.skip.click()
  const address = await wallet.signedInAddress()
  // The page has loaded all cards, so the user can send.
  await expect.poll(() => wallet.page.locator('.blank').count()).toBe(0)
  await expect.poll(() => wallet.mint.isEnabled()).toBe(true)
  const parts = ['signerApi', 'custody', 'gateway', 'bundler', 'mail'] as const
  const bringBack = await Promise.all(parts.map((part) => stage.devnet.interrupt(part)))
  try {
    await wallet.mint.click()
    const alert = wallet.alert.first()
    await alert.waitFor()
    // Technical details must be under 'Details'.
    expect(await alert.locator('p').first().textContent()).not.toMatch(/https?:|[{}]|Turnkey error/)
    expect(await findFaults(wallet.page)).toEqual([])
    expect(await wallet.signedInAddress()).toBe(address)
    await wallet.logOut.click()
    await wallet.signIn.waitFor()
  } finally {
    await Promise.all(bringBack.map((bring) => bring()))
  }
})

test('keeps the page usable while the server is slow to respond', async () => {
  await newContext()
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const isConfig = (url: string) => url.endsWith('/signer/v1/config')
  const wallet = await openWallet(context, stage.devnet.urls.wallet, (page) =>
    page.route(
      ({ href }) => isConfig(href),
      async (route) => {
        await held
        await route.continue()
      },
    ),
  )
  // The page must continue without a response to the config request.
  const givenUp = wallet.page.waitForEvent('requestfailed', { predicate: (request) => isConfig(request.url()) })
  await Promise.all([givenUp, wallet.askForMail(newEmail())])
  answer()
  await wallet.sent.waitFor()
})
