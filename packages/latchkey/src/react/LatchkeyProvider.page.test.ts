import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import type { ConsoleMessage, Page, Route } from 'playwright-core'
import { afterAll, expect } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Page with the provider, a button and the status. The query parameters `sections` and `api` change it. */
const entry = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
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

const ui = { auth: { sections }, termsUrl: './terms' }
createRoot(document.getElementById('root')).render(
  <StrictMode><LatchkeyProvider config={config} uiConfig={ui}><Page /></LatchkeyProvider></StrictMode>,
)
`

let server: Listening
let origin: string
/** No server listens on port 4, and the system never assigns it. */
const nowhere = 'http://localhost:4'
let page: Page

test.beforeAll(async ({ browser: launched }) => {
  server = await serveEntry(root, entry)
  origin = server.url
  page = await launched.newPage()
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

test('opens a modal dialog of 368 px, at 360 px as a sheet at the bottom, with focus in the field', async () => {
  for (const [width, expected] of [
    [1280, 368],
    [360, 360],
  ] as const)
    await withPage(
      '/',
      async (tab) => {
        const dialog = await open(tab)
        expect((await dialog.boundingBox())?.width).toBe(expected)
        const isAtBottom = () => dialog.evaluate((e) => e.getBoundingClientRect().bottom === innerHeight)
        await expect.poll(isAtBottom).toBe(width === 360)
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

test('closes by Escape, Close and backdrop, returns the focus, and stays open on a press inside', async () => {
  await withPage('/', async (tab) => {
    const dialog = await open(tab)
    await dialog.getByText('powered by').click()
    expect(await isOpen(tab)).toBe('open')
    // A text selection may start inside the card and end outside.
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
      await expect.poll(() => isOpen(tab)).toBe('closed')
      await expect.poll(() => tab.evaluate(() => document.activeElement?.textContent)).toBe('Open')
      await open(tab)
    }
  })
})

test('reports an invalid address on blur and on submit', async () => {
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
    for (const address of ['you@example.com', 'ada@bücher.example', 'ada@пример.рф', 'ada@例え。テスト']) {
      await field.fill('you@')
      await hint.waitFor()
      await field.fill('')
      await field.pressSequentially(address)
      await hint.waitFor({ state: 'detached' })
      expect(await button.isEnabled()).toBe(true)
    }
    await field.fill('')
    await field.press('Enter')
    await hint.waitFor()
  })
})

test('keeps the page and opens again when an extension has replaced a node of the dialog', async () => {
  await withPage('/', async (tab) => {
    const dialog = await open(tab)
    const field = dialog.getByRole('textbox', { name: 'Email' })
    await field.fill('you@')
    await field.press('Enter')
    await dialog.getByText('Must provide a valid email.').evaluate((hint) => hint.replaceWith(hint.cloneNode(true)))
    await field.fill('you@example.com')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => isOpen(tab)).toBe('closed')
    await (await open(tab)).getByRole('button', { name: 'Continue' }).waitFor()
  })
})

test('names an unreachable server in the banner, keeps the address and allows another try', async () => {
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

test('shows the error of a mail link to a signed-in user and keeps the session', async () => {
  await withPage('/', async (tab) => {
    const user = { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' }
    const session = { type: 'passkey', user, expirationDateMs: Date.now() + 600_000 }
    await tab.evaluate(
      (text) => localStorage.setItem('alchemy-signer-session', text),
      JSON.stringify({ state: { session }, version: 0 }),
    )
    // Delays the dialog until the link has failed and the session has resumed.
    const held: Route[] = []
    await tab.route(/AuthDialog/, (route) => {
      held.push(route)
    })
    try {
      await tab.goto(`${origin}/?bundle=b`)
      await tab.getByLabel('status').getByText('CONNECTED', { exact: true }).waitFor()
      await expect.poll(() => held.length).toBe(1)
      await held[0]?.continue()
      await tab.getByRole('dialog', { name: "This link doesn't work in this browser" }).waitFor()
      await expect.poll(() => isOpen(tab)).toBe('open')
    } finally {
      await tab.unrouteAll()
      await tab.evaluate(() => localStorage.clear())
    }
  })
})
