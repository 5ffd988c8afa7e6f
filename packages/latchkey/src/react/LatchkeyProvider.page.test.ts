import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import type { Browser, ConsoleMessage, Page, Route } from 'playwright-core'
import { afterAll, expect } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A page as an app would write it: the provider, a button, the status. `?sections` and `?api` vary it. */
const entry = `
import { StrictMode, useReducer } from 'react'
import { createRoot } from 'react-dom/client'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { AuthModal } from '/src/react/ui/AuthModal.tsx'
import { authMachine } from '/src/react/ui/authMachine.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useSigner } from '/src/react/hooks/useSigner.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'
import '/src/react/ui/styles.css'

const query = new URLSearchParams(location.search)
const sections = query.has('sections')
  ? [[{ type: 'email', hideButton: true, placeholder: 'Work address' }], [{ type: 'email', buttonLabel: 'Go on' }]]
  : undefined
const config = createConfig({
  chain: defineLatchkeyDevChain({}),
  apiKey: 'key',
  endpoints: latchkeyEndpoints(query.get('api') ?? 'http://127.0.0.1:9'),
})
const signers = new Set()

function Page() {
  const { openAuthModal, isOpen } = useAuthModal()
  const { status } = useSignerStatus()
  const signer = useSigner()
  if (signer) signers.add(signer)
  return (
    <>
      <button type="button" onClick={openAuthModal}>Open</button>
      <output aria-label="status">{status}</output>
      <output aria-label="signers">{signers.size}</output>
      <output aria-label="dialog">{isOpen ? 'open' : 'closed'}</output>
    </>
  )
}

/** The dialog after a mail was sent, with a signer that sends the next one at once. */
function Verify() {
  const request = { type: 'email', email: 'you@example.com' }
  const [state, dispatch] = useReducer(authMachine, { isOpen: true, step: { type: 'email_verify', request } })
  const flow = {
    state,
    close: () => dispatch({ type: 'closed' }),
    back: () => dispatch({ type: 'back' }),
    resend: () => {
      dispatch({ type: 'resendPressed' })
      dispatch({ type: 'statusChanged', status: 'AWAITING_EMAIL_AUTH' })
    },
    resendShown: () => dispatch({ type: 'resendShown' }),
  }
  return <AuthModal flow={flow} uiConfig={{}} />
}

const ui = { auth: { sections }, termsUrl: './terms' }
createRoot(document.getElementById('root')).render(
  query.has('verify')
    ? <Verify />
    : <StrictMode><LatchkeyProvider config={config} uiConfig={ui}><Page /></LatchkeyProvider></StrictMode>,
)
`

let browser: Browser
let server: Listening
let origin: string
/** A loopback URL without a server, which no port that a system lends can become. */
const nowhere = 'http://localhost:4'
let page: Page

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  server = await serveEntry(root, entry)
  origin = server.url
  page = await browser.newPage()
  page.setDefaultTimeout(20_000)
})

afterAll(async () => {
  await page?.context().close()
  await server?.close()
})

async function withPage(path: string, use: (page: Page, errors: string[]) => Promise<void>, width = 1280) {
  await page.setViewportSize({ width, height: 640 })
  const errors: string[] = []
  const note = (message: ConsoleMessage) => {
    if (message.type() === 'error') errors.push(message.text())
  }
  page.on('console', note)
  try {
    await page.goto(`${origin}${path}`)
    await use(page, errors)
  } finally {
    page.off('console', note)
  }
}

const isOpen = (tab: Page) => tab.getByLabel('dialog', { exact: true }).textContent()
const open = async (tab: Page) => {
  await tab.getByRole('button', { name: 'Open' }).click()
  return tab.getByRole('dialog', { name: 'Sign in' })
}

test('behavior: the dialog is modal, 368 px wide, leaves a margin at 360 px, and the field has the focus', async () => {
  for (const [width, expected] of [
    [1280, 368],
    [360, 336],
  ] as const)
    await withPage(
      '/',
      async (tab) => {
        const dialog = await open(tab)
        expect((await dialog.boundingBox())?.width).toBe(expected)
        expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true)
        expect(await tab.getByRole('textbox', { name: 'Email' }).evaluate((e) => e === document.activeElement)).toBe(
          true,
        )
        for (let press = 0; press < 8; press++) {
          await tab.keyboard.press('Tab')
          expect(await tab.evaluate(() => document.activeElement?.textContent)).not.toBe('Open')
        }
      },
      width,
    )
})

test('behavior: Escape, Close and the backdrop close and give the focus back; a press inside does not', async () => {
  await withPage('/', async (tab) => {
    const dialog = await open(tab)
    await dialog.getByText('powered by').click()
    expect(await isOpen(tab)).toBe('open')
    // A selection that began in the card and ends outside.
    await dialog.getByText('powered by').hover()
    await tab.mouse.down()
    await tab.mouse.move(5, 5)
    await tab.mouse.up()
    expect(await isOpen(tab)).toBe('open')
    const ways = [
      () => tab.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
      () => tab.mouse.click(5, 5),
    ]
    for (const close of ways) {
      await close()
      await dialog.waitFor({ state: 'hidden' })
      // The browser may have hidden it before the page renders again.
      await expect.poll(() => isOpen(tab)).toBe('closed')
      await expect.poll(() => tab.evaluate(() => document.activeElement?.textContent)).toBe('Open')
      await open(tab)
    }
  })
})

test('error: an invalid address is reported when the field is left, and on submit', async () => {
  await withPage('/', async (tab) => {
    const dialog = await open(tab)
    const field = dialog.getByRole('textbox', { name: 'Email' })
    const button = dialog.getByRole('button', { name: 'Continue' })
    const hint = dialog.getByText('Must provide a valid email.')
    await field.fill('you@')
    expect(await hint.count()).toBe(0)
    await field.blur()
    await hint.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await field.fill('you@example.com')
    await hint.waitFor({ state: 'detached' })
    expect(await button.isEnabled()).toBe(true)
    await field.fill('')
    await field.press('Enter')
    await hint.waitFor()
  })
})

test('error: a server that does not run is named in the banner; the address stays, and it can be tried again', async () => {
  await withPage(`/?api=${nowhere}`, async (tab, errors) => {
    const dialog = await open(tab)
    await dialog.getByRole('textbox', { name: 'Email' }).fill('you@example.com')
    for (let attempt = 1; attempt <= 2; attempt++) {
      await dialog.getByRole('button', { name: 'Continue' }).click()
      const banner = dialog.getByRole('alert')
      await banner.getByText('Error', { exact: true }).waitFor()
      expect(await banner.textContent()).toContain(nowhere)
      expect(await dialog.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('you@example.com')
    }
    const named = () => errors.filter((line) => line.includes(nowhere) && line.includes('Error')).length
    await expect.poll(named).toBeGreaterThan(0)
  })
})

test('error: of a mail link stays in sight of a signed-in user, who stays signed in', async () => {
  await withPage('/', async (tab) => {
    const user = { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' }
    const session = { type: 'passkey', user, expirationDateMs: Date.now() + 600_000 }
    await tab.evaluate(
      (text) => localStorage.setItem('alchemy-signer-session', text),
      JSON.stringify({ state: { session }, version: 0 }),
    )
    // The dialog arrives when the link has failed and the session is in use again.
    const held: Route[] = []
    await tab.route(/AuthDialog/, (route) => {
      held.push(route)
    })
    try {
      await tab.goto(`${origin}/?bundle=b`)
      await tab.getByLabel('status').getByText('CONNECTED', { exact: true }).waitFor()
      await expect.poll(() => held.length).toBe(1)
      await held[0]?.continue()
      await tab.getByRole('dialog', { name: 'This link does not open here' }).waitFor()
      // It opens first, and says so then.
      await expect.poll(() => isOpen(tab)).toBe('open')
    } finally {
      await tab.unrouteAll()
      await tab.evaluate(() => localStorage.clear())
    }
  })
})

test('behavior: Resend shows Done! for 2000 ms and keeps the focus; Back leads to the form with the address', async () => {
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.clock.install()
  await tab.goto(`${origin}/?verify`)
  // From here on the test drives the page's clock.
  await tab.clock.pauseAt(Date.now() + 3_600_000)
  const dialog = tab.getByRole('dialog', { name: "You're one click away" })
  expect(await dialog.locator('b').textContent()).toBe('you@example.com')
  await dialog.getByRole('button', { name: 'Resend' }).click()
  const done = dialog.getByRole('button', { name: 'Done!' })
  await done.waitFor()
  expect(await done.evaluate((element) => element === document.activeElement)).toBe(true)
  await tab.clock.runFor(1900)
  expect(await done.count()).toBe(1)
  await tab.clock.runFor(100)
  await dialog.getByRole('button', { name: 'Resend' }).waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  expect(await tab.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('you@example.com')
  await context.close()
})
