import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { newEmail } from '@latchkey/testkit/signer/devnetTabs'
import type { Listening } from '@latchkey/testkit/signer/listen'
import type { SignerPage } from '@latchkey/testkit/signer/startPage'
import { test } from '@latchkey/testkit/worker'
import type { Devnet } from 'latchkey-dev'
import { readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Custom app that reads its endpoints and options from storage. */
const entry = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient, custom } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { toLightAccount } from '/src/accounts/lightAccount/toLightAccount.ts'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { createSmartAccountClient } from '/src/wallet/client/createSmartAccountClient.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useExportAccount } from '/src/react/hooks/useExportAccount.ts'
import { useLogout } from '/src/react/hooks/useLogout.ts'
import { useSendUserOperation } from '/src/react/hooks/useSendUserOperation.ts'
import { useSigner } from '/src/react/hooks/useSigner.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'
import { useSignMessage } from '/src/react/hooks/useSignMessage.ts'

const { api, apiKey, option } = JSON.parse(localStorage.test)
const config = createConfig({ chain: latchkeyDev, apiKey, endpoints: latchkeyEndpoints(api), outbox: false })
let requests = 0
const request = async () => {
  document.getElementById('requests').textContent = String(++requests)
  throw new TypeError('no node')
}
const transport = custom({ request }, { retryCount: 0 })
const owner = privateKeyToAccount(generatePrivateKey())
const account = await toLightAccount({ client: createClient({ chain: latchkeyDev, transport }), owner })
const client = createSmartAccountClient({ account, chain: latchkeyDev, transport })
const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' }

function Page() {
  useAuthModal()
  window.signer = useSigner()
  const { status } = useSignerStatus()
  const { logout } = useLogout()
  const sending = useSendUserOperation({ client })
  const signing = useSignMessage({ client })
  const { exportAccount, isExported, error, ExportAccountComponent } = useExportAccount()
  const [ofClient, setOfClient] = useState('')
  const sendByClient = () => client.sendUserOperation({ uo }).catch((error) => setOfClient(error.shortMessage))
  return (
    <>
      <button type="button" onClick={() => sending.sendUserOperation({ uo })}>Send</button>
      <button type="button" onClick={() => signing.signMessage({ message: 'tea' })}>Sign</button>
      <button type="button" onClick={() => exportAccount()}>Export</button>
      <button type="button" onClick={sendByClient}>Client</button>
      <button type="button" onClick={() => logout()}>Log out</button>
      <output aria-label="status">{status}</output>
      <output aria-label="send">{sending.isSendingUserOperation ? 'waits' : (sending.error?.shortMessage ?? '')}</output>
      <output aria-label="sign">{signing.error?.shortMessage ?? ''}</output>
      <output aria-label="export">{error ? error.shortMessage : String(isExported)}</output>
      <output aria-label="client">{ofClient}</output>
      <ExportAccountComponent isExported={isExported} />
    </>
  )
}

document.body.append(Object.assign(document.createElement('p'), { id: 'requests', textContent: '0' }))
const ui = { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]], addPasskeyOnSignup: option } }
const page = (queryClient) => <LatchkeyProvider config={config} uiConfig={ui} queryClient={queryClient}><Page /></LatchkeyProvider>
// Only a mounted query client notices the lost network and pauses mutations.
const queryClient = new QueryClient({ defaultOptions: { mutations: { networkMode: 'online' } } })
const mounted = <QueryClientProvider client={queryClient}>{page(queryClient)}</QueryClientProvider>
createRoot(document.getElementById('root')).render(location.search === '?mounted' ? mounted : page())
`

/** No server listens on port 4, and the system never assigns it. */
const nowhere = 'http://localhost:4'
let server: Listening
let devnet: Devnet
let signerPage: SignerPage
let newContext: () => Promise<BrowserContext>
let context: BrowserContext
test.beforeAll(async ({ browser, devnet: started, signerPage: page }) => {
  devnet = started
  signerPage = page
  server = await serveEntry(root, entry)
  newContext = () => browser.newContext()
})
afterAll(() => server?.close())
beforeEach(async () => {
  context = await newContext()
})
afterEach(async () => {
  signerPage.instead = undefined
  await context?.close()
})

const store = (items: Record<string, unknown>) =>
  context.addInitScript(
    (texts) => {
      if (location.protocol.startsWith('http')) Object.assign(localStorage, texts)
    },
    Object.fromEntries(Object.entries(items).map(([name, value]) => [name, JSON.stringify(value)])),
  )
const status = (tab: Page, text: string) =>
  tab.getByLabel('status', { exact: true }).getByText(text, { exact: true }).waitFor()

test.each([
  ['the app’s query client, which pauses mutations', '?mounted'],
  ['a query client of its own', ''],
])('fails offline presses at once and repeats none of them: %s', async (_, search) => {
  await store({ test: { api: nowhere, apiKey: 'key' } })
  const page = await context.newPage()
  await page.goto(`${server.url}/${search}`)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await page.evaluate(() => addEventListener('offline', () => Object.assign(window, { isCut: true })))
  await context.setOffline(true)
  await page.waitForFunction('window.isCut')
  for (const name of ['Send', 'Sign', 'Export', 'Client']) {
    await page.getByRole('button', { name, exact: true }).click()
    const text = page.getByLabel(name.toLowerCase(), { exact: true })
    await expect.poll(() => text.textContent()).toBe('You are offline. Nothing was sent.')
  }
  const requests = () => page.locator('#requests').textContent()
  expect(await requests()).toBe('0')

  await context.setOffline(false)
  await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(true)
  // Waits long enough for TanStack Query to resume a paused mutation.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  expect(await requests()).toBe('0')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect.poll(requests).not.toBe('0')
})

test('clears the result of an export when the session ends', async () => {
  // Restoring a passkey session sends no request.
  const user = { orgId: 'ORG', userId: 'USER', address: `0x${'11'.repeat(20)}`, credentialId: 'CREDENTIAL' }
  const session = { type: 'passkey', user, expirationDateMs: Date.now() + 3_600_000 }
  await store({ test: { api: nowhere, apiKey: 'key' }, 'alchemy-signer-session': { state: { session }, version: 0 } })
  const page = await context.newPage()
  await page.goto(server.url)
  await status(page, 'CONNECTED')
  await page.getByRole('button', { name: 'Export' }).click()
  const outcome = page.getByLabel('export', { exact: true })
  await outcome
    .filter({ hasText: nowhere.replace('http://', '') })
    .or(outcome.filter({ hasText: /reach/ }))
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await status(page, 'DISCONNECTED')
  await outcome.filter({ hasText: 'false' }).waitFor()
  expect(await page.locator('#latchkey-export-container').isHidden()).toBe(true)
})

test.each([true, false])('offers a passkey after a sign-up only by option: %s', async (option) => {
  await store({ test: { api: devnet.urls.signerApi, apiKey: devnet.apiKey, option } })
  signerPage.instead = server.url
  const email = newEmail()
  const tab = await context.newPage()
  await tab.goto(`${signerPage.url}/`)
  await status(tab, 'DISCONNECTED')
  await tab.evaluate((address) => {
    const { signer } = window as unknown as { signer: { authenticate(request: object): Promise<object> } }
    void signer.authenticate({ type: 'email', email: address }).catch(() => {})
  }, email)
  await status(tab, 'AWAITING_EMAIL_AUTH')
  expect(await tab.getByRole('dialog').count()).toBe(0)
  const { link } = await readSignInMail(devnet, email, { linkTo: signerPage.url })
  await tab.goto(link)
  await status(tab, 'CONNECTED')
  const offer = tab.getByRole('dialog', { name: 'Add a passkey?' })
  if (option) await offer.waitFor()
  else {
    await tab.waitForLoadState('networkidle')
    expect(await offer.count()).toBe(0)
  }
})
