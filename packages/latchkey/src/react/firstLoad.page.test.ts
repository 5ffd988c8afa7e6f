import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import type { Browser, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const entry = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { cookieStorage } from '/src/wallet/cookies/cookieStorage.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useBundlerClient } from '/src/react/hooks/useBundlerClient.ts'
import { useLogout } from '/src/react/hooks/useLogout.ts'
import { useSendCalls } from '/src/react/hooks/useSendCalls.ts'
import { useSigner } from '/src/react/hooks/useSigner.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'
import { useSmartAccountClient } from '/src/react/hooks/useSmartAccountClient.ts'
import '/src/react/ui/styles.css'

const endpoints = latchkeyEndpoints('http://127.0.0.1:9')
const config = createConfig({ chain: defineLatchkeyDevChain({ gatewayUrl: 'http://127.0.0.1:9' }), apiKey: 'key', endpoints, storage: location.search === '?cookie' ? cookieStorage : undefined })

function Page() {
  const { openAuthModal, triggerProps, isOpen } = useAuthModal()
  const { status, isInitializing, error } = useSignerStatus()
  const client = useBundlerClient()
  const signer = useSigner()
  const { logout, error: logoutError } = useLogout()
  window.parts = { client, signer, config }
  return (
    <>
      <button type="button" {...triggerProps} onClick={openAuthModal}>Open</button>
      <output aria-label="status">{status}</output>
      <output aria-label="loading">{error ? error.code : String(isInitializing)}</output>
      <button type="button" onClick={() => logout()}>Log out</button>
      <output aria-label="log-out">{logoutError?.message}</output>
      <output aria-label="dialog">{isOpen ? 'open' : 'closed'}</output>
    </>
  )
}
const to = '0x000000000000000000000000000000000000dEaD'

function Calls() {
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  const { sendCalls, error } = useSendCalls({ client })
  const act = client && (() => sendCalls({ calls: [{ to }] }))
  return (
    <>
      <button type="button" disabled={!act} onClick={act}>Send</button>
      <output aria-label="outcome">{error?.code}</output>
    </>
  )
}

const Part = location.search === '?calls' ? Calls : () => null

createRoot(document.getElementById('root')).render(
  <StrictMode><LatchkeyProvider config={config} uiConfig={{}}><Page /><Part /></LatchkeyProvider></StrictMode>,
)
`

const chunks = [
  'AuthDialog',
  'createRunner',
  'accountParts',
  'createBundlerClient',
  'reads',
  'clientCalls',
  'resumeOperations',
]
const notice = 'A part of this page could not be loaded.'

let browser: Browser
let server: Listening

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  server = await serveEntry(root, entry)
})

afterAll(async () => {
  await server?.close()
})

type Visit = { session?: boolean; refused?: string[]; held?: string[] }

/** Opens a page in a new browser profile. Requests for `refused` files fail, requests for `held` files are delayed. */
async function openPage(path: string, { session, refused = [], held = [] }: Visit = {}) {
  const context = await browser.newContext({ hasTouch: true })
  const tab = await context.newPage()
  tab.setDefaultTimeout(20_000)
  const fetched = new Set<string>()
  const blocked = new Set(refused)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await tab.route(/\.js$/, async (route) => {
    const name = chunks.find((chunk) => route.request().url().includes(chunk))
    if (name) fetched.add(name)
    if (name && held.includes(name)) await released
    return name && blocked.has(name) ? route.abort() : route.continue()
  })
  if (session) {
    const user = { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' }
    const stored = { state: { session: { type: 'passkey', user, expirationDateMs: Date.now() + 600_000 } }, version: 0 }
    await tab.addInitScript((text) => localStorage.setItem('alchemy-signer-session', text), JSON.stringify(stored))
  }
  await tab.goto(`${server.url}${path}`)
  await tab.getByRole('button', { name: 'Open' }).waitFor()
  return { tab, fetched, allow: () => blocked.clear(), release }
}

const statusOf = (tab: Page) => tab.getByLabel('status', { exact: true }).textContent()
const noticeOf = (tab: Page) => tab.getByRole('dialog', { name: notice })

test('fetches no chunk and has its clients before a press', async () => {
  const { tab, fetched } = await openPage('/')
  await tab.getByText('DISCONNECTED').waitFor()
  await tab.waitForLoadState('networkidle')
  expect(await tab.evaluate('[parts.client.chain.id, typeof parts.client.extend, parts.signer.signerType]')).toEqual([
    31337,
    'function',
    'alchemy-signer',
  ])
  expect([...fetched]).toEqual([])
  const failure = await tab.evaluate('parts.client.getBlockNumber().catch((error) => error.name)')
  expect(failure).toBe('HttpRequestError')
  expect([...fetched].sort()).toEqual(['createBundlerClient', 'reads'])
  await tab.context().close()
})

test.each([
  ['focus', (tab: Page) => tab.keyboard.press('Tab')],
  ['touch', (tab: Page) => tab.getByRole('button', { name: 'Open' }).dispatchEvent('touchstart')],
])('prefetches on %s without opening the dialog', async (_, act) => {
  const { tab, fetched } = await openPage('/')
  await tab.getByText('DISCONNECTED').waitFor()
  await act(tab)
  await expect.poll(() => [...fetched].sort()).toEqual(['AuthDialog', 'createRunner'])
  expect(await tab.getByRole('dialog').count()).toBe(0)
  await tab.getByRole('button', { name: 'Open' }).click()
  await tab.getByRole('dialog', { name: 'Sign in' }).waitFor()
  await tab.context().close()
})

test('loads the code for sending calls before the first press', async () => {
  const { tab, fetched } = await openPage('/?calls', { session: true })
  const needed = ['accountParts', 'clientCalls', 'createRunner']
  await tab.locator('button:enabled', { hasText: 'Send' }).waitFor()
  await expect.poll(() => [...fetched].sort()).toEqual(needed)
  await tab.getByRole('button', { name: 'Send' }).click()
  // No server runs. EIP-1193 code 4900 therefore means that the calls were sent without loading another chunk.
  await tab.getByLabel('outcome').filter({ hasText: '4900' }).waitFor()
  expect([...fetched].sort()).toEqual(needed)
  await tab.context().close()
})

test('reports a dialog that fails to load, with Close and Retry', async () => {
  const { tab, allow } = await openPage('/', { refused: ['AuthDialog'] })
  const isOpen = tab.getByLabel('dialog', { exact: true })
  await tab.getByRole('button', { name: 'Open' }).click()
  await noticeOf(tab).getByRole('button', { name: 'Close' }).click()
  await noticeOf(tab).waitFor({ state: 'detached' })
  expect(await isOpen.textContent()).toBe('closed')
  await tab.getByRole('button', { name: 'Open' }).click()
  await noticeOf(tab).waitFor()
  allow()
  await noticeOf(tab).getByRole('button', { name: 'Retry' }).click()
  await tab.getByRole('dialog', { name: 'Sign in' }).waitFor()
  expect(await isOpen.textContent()).toBe('open')
  await tab.context().close()
})

test('says that it is offline, and opens by itself once the connection is back', async () => {
  const { tab } = await openPage('/')
  await tab.getByText('DISCONNECTED').waitFor()
  await tab.context().setOffline(true)
  await tab.getByRole('button', { name: 'Open' }).click()
  const offline = tab.getByRole('dialog', { name: 'You are offline.' })
  // A retry while offline does not count, so the next retry does not reload the page.
  await offline.getByRole('button', { name: 'Retry' }).click()
  await offline.getByRole('button', { name: 'Retry' }).waitFor()
  await tab.context().setOffline(false)
  await tab.getByRole('dialog', { name: 'Sign in' }).waitFor()
  expect(await offline.count()).toBe(0)
  await tab.context().close()
})

test('keeps the link in memory when the signer fails to load, and completes it on Retry', async () => {
  const { tab, allow } = await openPage('/?bundle=abc&orgId=org&keep=1', { refused: ['createRunner'] })
  await noticeOf(tab).waitFor()
  expect(new URL(tab.url()).search).toBe('?keep=1')
  expect(await statusOf(tab)).toBe('INITIALIZING')
  const loading = tab.getByLabel('loading', { exact: true })
  await loading.getByText('CHUNK_FAILED', { exact: true }).waitFor()
  expect(await tab.evaluate("localStorage.getItem('alchemy-account-state')")).not.toContain('CHUNK_FAILED')
  allow()
  await noticeOf(tab).getByRole('button', { name: 'Retry' }).click()
  // No server runs, so completing the link fails and the form shows a banner.
  const banner = tab.getByRole('dialog', { name: 'Sign in' }).getByRole('alert')
  await banner.waitFor()
  expect(await banner.textContent()).not.toContain(notice)
  await loading.getByText('false', { exact: true }).waitFor()
  await tab.context().close()
})

test('offers Reload after a chunk fails to load twice, and completes the link then', async () => {
  const { tab, allow } = await openPage('/?bundle=a%2Bb&orgId=org&keep=%201', { refused: ['createRunner'] })
  await noticeOf(tab).getByRole('button', { name: 'Retry' }).click()
  const reload = noticeOf(tab).getByRole('button', { name: 'Reload' })
  await reload.waitFor()
  expect(new URL(tab.url()).search).toBe('?keep=%201')
  const addresses: string[] = []
  tab.on('request', (request) => {
    if (request.isNavigationRequest()) addresses.push(new URL(request.url()).search)
  })
  allow()
  await reload.click()
  await tab.getByRole('dialog', { name: 'Sign in' }).getByRole('alert').waitFor()
  expect(addresses).toEqual(['?keep=%201'])
  expect(new URL(tab.url()).search).toBe('?keep=%201')
  await tab.context().close()
})

test('asks for another press when the passkey press expired while the signer loaded', async () => {
  const { tab, release } = await openPage('/', { held: ['createRunner'] })
  // The page reports its state to the console, because Playwright's own page calls would count as user activation.
  const said = (text: RegExp) => tab.waitForEvent('console', (message) => text.test(message.text()))
  await tab.evaluate(() => {
    let isAsked = false
    addEventListener('click', ({ target }) => {
      isAsked ||= target instanceof Element && target.textContent === 'Passkey'
    })
    // Repeats the report, because the test may start to listen late.
    setInterval(() => {
      if (isAsked && !navigator.userActivation.isActive) console.info('over')
    }, 100)
  })
  await tab.getByRole('button', { name: 'Open' }).click()
  const dialog = tab.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Passkey' }).click()
  await said(/^over$/)
  const refused = said(/Press again to use your passkey\./)
  release()
  await refused
  const needed = dialog.getByText('Press again to use your passkey.', { exact: true })
  await needed.waitFor()
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await needed.waitFor({ state: 'detached' })
  await tab.context().close()
})

test('logs out in this browser when the signer fails to load, and reports the limit', async () => {
  const { tab, allow, fetched } = await openPage('/?cookie', { session: true, refused: ['createRunner'] })
  await noticeOf(tab).waitFor()
  const user = { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, email: 'someperson@example.com' }
  await tab.evaluate((user) => Object(window).parts.config.clientStore.setState({ user }), user)
  const cookies = async () => JSON.stringify(await tab.context().cookies())
  await expect.poll(cookies).toContain('someperson')
  await tab.getByRole('button', { name: 'Log out' }).dispatchEvent('click')
  await tab.getByText(/^Signed out in this browser only\./).waitFor()
  expect(await tab.getByLabel('log-out', { exact: true }).textContent()).toContain(
    'The service ends the session when it expires.',
  )
  await expect.poll(() => statusOf(tab)).toBe('DISCONNECTED')
  await noticeOf(tab).waitFor({ state: 'detached' })
  await expect.poll(cookies).not.toContain('someperson')
  const stored = () => tab.evaluate("localStorage.getItem('alchemy-signer-session')")
  expect(JSON.parse(String(await stored()))).toMatchObject({ state: { session: null } })
  allow()
  await tab.evaluate('parts.signer.lookUpUser("you@example.com").catch(() => {})')
  expect(fetched).toContain('createRunner')
  expect(await statusOf(tab)).toBe('DISCONNECTED')
  await tab.context().close()
})
