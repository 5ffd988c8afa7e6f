import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import type { SignerPage } from '@latchkey/testkit/signer/startPage'
import { test } from '@latchkey/testkit/worker'
import type { Devnet } from 'latchkey-dev'
import { confirmByMail, readSignInMail, signInAs } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

/** App with identity providers in the form. `?none` shows only the e-mail field. */
const entry = `
import { createRoot } from 'react-dom/client'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useLogout } from '/src/react/hooks/useLogout.ts'
import { useUser } from '/src/react/hooks/useUser.ts'
import '/src/react/ui/styles.css'

const { api, apiKey } = JSON.parse(localStorage.test)
const config = createConfig({ chain: latchkeyDev, apiKey, endpoints: latchkeyEndpoints(api), outbox: false })
function Page() {
  const { openAuthModal } = useAuthModal()
  const user = useUser()
  const { logout } = useLogout()
  return <><button onClick={openAuthModal}>Open</button><button onClick={() => logout()}>Log out</button><output aria-label="user">{user?.email}</output></>
}
const social = [{ type: 'social', provider: 'dev', name: 'Acme' }, { type: 'social', provider: 'google' }]
const sections = location.search === '?none' ? [[{ type: 'email' }]] : [social, [{ type: 'email' }]]
createRoot(document.getElementById('root')).render(
  <LatchkeyProvider config={config} uiConfig={{ auth: { sections } }}><Page /></LatchkeyProvider>,
)
`

let server: Listening
let devnet: Devnet
let signerPage: SignerPage
let newContext: () => Promise<BrowserContext>
let context: BrowserContext
test.beforeAll(async ({ browser, devnet: started, signerPage: page }) => {
  devnet = started
  signerPage = page
  server = await serveEntry(fileURLToPath(new URL('../../../..', import.meta.url)), entry)
  newContext = () => browser.newContext({ locale: 'en-US' })
})
afterAll(() => server?.close())
beforeEach(async () => {
  context = await newContext()
  signerPage.instead = server.url
})
afterEach(async () => {
  signerPage.instead = undefined
  await context?.close()
})

const person = () => `ann-${crypto.randomUUID().slice(0, 8)}`

async function openDialog(search = ''): Promise<Page> {
  const { signerApiUrl: api, apiKey } = signerPage.config
  await context.addInitScript((text) => {
    if (location.protocol.startsWith('http')) localStorage.test = text
  }, JSON.stringify({ api, apiKey }))
  const tab = await context.newPage()
  await tab.goto(`${signerPage.url}/${search}`)
  await tab.getByRole('button', { name: 'Open' }).click()
  await tab.getByRole('textbox', { name: 'Email' }).waitFor()
  return tab
}

const press = (tab: Page, name: string) => tab.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const waiting = (tab: Page) => tab.getByRole('dialog', { name: 'Finish in the window of Acme' })
const signedIn = (tab: Page, name: string) => tab.getByLabel('user').getByText(`${name}@example.com`).waitFor()

async function openWindow(tab: Page, button = 'Continue with Acme'): Promise<Page> {
  const [opened] = await Promise.all([context.waitForEvent('page'), press(tab, button)])
  await opened.waitForURL(`${devnet.urls.provider}/authorize**`)
  return opened
}

test('signs in by the window of a provider', async () => {
  const name = person()
  const tab = await openDialog()
  await tab.getByRole('button', { name: 'Continue with Google' }).waitFor()
  await openWindow(tab)
  await waiting(tab).waitFor()
  await signInAs({ context, devnet }, name)
  await signedIn(tab, name)
  await tab.getByRole('dialog').waitFor({ state: 'hidden' })
})

test('reports a closed window, then signs in without one', async () => {
  const name = person()
  const tab = await openDialog()
  await (await openWindow(tab)).close()
  await tab.getByRole('alert').filter({ hasText: 'The window was closed before the sign-in was complete.' }).waitFor()
  await press(tab, 'Continue without a window')
  await signInAs({ context, devnet }, name)
  await signedIn(tab, name)
})

test('reports a blocked window, then opens one by another press', async () => {
  const name = person()
  const tab = await openDialog()
  const open = await tab.evaluateHandle(() => {
    const { open } = window
    window.open = () => null
    return open
  })
  await press(tab, 'Continue with Acme')
  await tab.getByRole('alert').filter({ hasText: 'The browser blocked the window' }).waitFor()
  await open.evaluate((given) => {
    window.open = given
  })
  await openWindow(tab, 'Retry')
  await signInAs({ context, devnet }, name)
  await signedIn(tab, name)
})

test('reports a provider that refuses, and returns to the form', async () => {
  const tab = await openDialog()
  const opened = await openWindow(tab)
  const asked = new URL(opened.url()).searchParams
  const answer = new URLSearchParams({ error: 'access_denied', state: asked.get('state') ?? '' })
  await Promise.all([
    opened.waitForEvent('close'),
    opened.goto(`${asked.get('redirect_uri')}?${answer}`).catch(() => {}),
  ])
  await tab.getByRole('alert').filter({ hasText: 'The identity provider did not sign you in.' }).waitFor()
  await press(tab, 'Back')
  await tab.getByRole('textbox', { name: 'Email' }).waitFor()
})

test('opens the window again in place of the first, and closes it on Cancel', async () => {
  const tab = await openDialog()
  const first = await openWindow(tab)
  const [second] = await Promise.all([openWindow(tab, 'Open again'), first.waitForEvent('close')])
  await waiting(tab).waitFor()
  await Promise.all([second.waitForEvent('close'), press(tab, 'Cancel')])
  await tab.getByRole('textbox', { name: 'Email' }).waitFor()
  expect(await tab.getByRole('alert').count()).toBe(0)
})

test.each([
  ['an unproven address of nobody', 'unverified', false],
  ['an unproven address of an account', 'unverified', true],
  ['no address', 'nameless', false],
])('asks for an email because of %s, and then adds the provider', async (_, kind, isKnown) => {
  const name = `${kind}-${person()}`
  const email = `${name}@example.com`
  const mail = { linkTo: signerPage.url }
  const tab = await openDialog()
  const openAgain = async () => {
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Open' }).click()
  }
  const passWindow = async (button?: string) => {
    const opened = openWindow(tab, button)
    await signInAs({ context, devnet }, name)
    await opened
  }
  if (isKnown) {
    await tab.getByRole('textbox', { name: 'Email' }).fill(email)
    await press(tab, 'Continue')
    await tab.goto((await readSignInMail(devnet, email, mail)).link)
    await signedIn(tab, name)
    await openAgain()
  }
  await passWindow()
  const first = tab.getByRole('dialog', { name: 'Sign in by email first' })
  await first.getByText('Then you can add Acme.').waitFor()
  if (kind === 'nameless') await first.getByRole('textbox', { name: 'Email' }).fill(email)
  else await first.getByText(`This checks that ${email} is yours.`).waitFor()
  await press(tab, 'Continue')
  const { code = '' } = await readSignInMail(devnet, email, { ...mail, skip: isKnown ? 1 : 0 })
  await tab.getByRole('textbox', { name: 'Enter the code' }).fill(code)
  await tab.getByRole('dialog', { name: 'Add Acme?' }).waitFor()
  await passWindow('Continue')
  await tab.getByRole('dialog', { name: 'Check your email to confirm' }).waitFor()
  await confirmByMail(devnet, email, { browser: context.browser() as Browser })
  await tab.getByRole('dialog').waitFor({ state: 'hidden' })
  await openAgain()
  await passWindow()
  await signedIn(tab, name)
})

test('keeps waiting behind a closed dialog', async () => {
  const name = person()
  const tab = await openDialog()
  await openWindow(tab)
  await press(tab, 'Close')
  await signInAs({ context, devnet }, name)
  await signedIn(tab, name)
})

test('loads the parts of providers only for forms that have some', async () => {
  const loaded: string[] = []
  context.on('request', (request) => loaded.push(request.url()))
  const hasParts = () => loaded.some((url) => url.includes('SocialParts'))
  await openDialog('?none')
  expect(hasParts()).toBe(false)
  await openDialog()
  expect(hasParts()).toBe(true)
})
