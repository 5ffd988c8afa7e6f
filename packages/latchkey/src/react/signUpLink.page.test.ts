import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { launchChromium } from '@latchkey/testkit/signer/launchChromium'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { type Peer, startPeer } from '@latchkey/testkit/signer/startPeer'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A page with a form of its own. The test says in the storage where the server is, and whether the option is on. */
const entry = `
import { createRoot } from 'react-dom/client'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useSigner } from '/src/react/hooks/useSigner.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'

const { api, option } = JSON.parse(localStorage.test)
const config = createConfig({ chain: defineLatchkeyDevChain({}), apiKey: 'key', endpoints: latchkeyEndpoints(api), outbox: false })
const ui = { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]], addPasskeyOnSignup: option } }
function Page() {
  useAuthModal()
  window.signer = useSigner()
  return <output aria-label="status">{useSignerStatus().status}</output>
}
createRoot(document.getElementById('root')).render(<LatchkeyProvider config={config} uiConfig={ui}><Page /></LatchkeyProvider>)
`

let server: Listening
let frame: Listening
let peer: Peer
let browser: Browser

beforeAll(async () => {
  ;[server, browser] = await Promise.all([serveEntry(root, entry), launchChromium()])
  frame = await startFrame(() => server.url)
  peer = await startPeer({ authFrameUrl: frame.url, pageUrl: () => server.url })
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([frame?.close(), server?.close(), peer?.close()])
})

/** A page on which a mail was requested by the app's own form. */
async function requestMail(path: string, option: boolean) {
  const context = await browser.newContext()
  const tab = await context.newPage()
  tab.setDefaultTimeout(20_000)
  await tab.addInitScript(
    (text) => {
      localStorage.test = text
    },
    JSON.stringify({ api: peer.url, option }),
  )
  await tab.goto(`${server.url}${path}`)
  await status(tab, 'DISCONNECTED')
  await tab.evaluate(() => {
    const { signer } = window as unknown as { signer: { authenticate(request: object): Promise<object> } }
    void signer.authenticate({ type: 'email', email: 'user@example.com' }).catch(() => {})
  })
  await status(tab, 'AWAITING_EMAIL_AUTH')
  return tab
}

const status = (tab: Page, text: string) =>
  tab.getByLabel('status', { exact: true }).getByText(text, { exact: true }).waitFor()
const dialogs = (tab: Page) => tab.getByRole('dialog').count()

test('behavior: AWAITING_EMAIL_AUTH, the option and `aa-is-signup=true` together open the dialog', async () => {
  const tab = await requestMail('/?aa-is-signup=true', true)
  await tab.getByRole('dialog').waitFor()
  await tab.context().close()
})

test.each([
  ['/', true],
  ['/?aa-is-signup=false', true],
  ['/?aa-is-signup=true', false],
])('behavior: %s with the option %s does not', async (path, option) => {
  const tab = await requestMail(path, option)
  // What would open it has been heard by the page.
  await tab.waitForLoadState('networkidle')
  expect(await dialogs(tab)).toBe(0)
  await tab.context().close()
})

test.each([
  ['&aa-is-signup=true', true, true],
  ['&aa-is-signup=true', false, false],
  ['', true, false],
])('behavior: after a link with "%s" and the option %s a passkey is offered: %s', async (query, option, isOffered) => {
  const asking = await requestMail('/', option)
  await asking.goto(`${peer.mails.at(-1)?.link}${query}`)
  await status(asking, 'CONNECTED')
  const heading = asking.getByRole('dialog', { name: 'Add a passkey?' })
  if (isOffered) await heading.waitFor()
  else {
    await asking.waitForLoadState('networkidle')
    expect(await heading.count()).toBe(0)
  }
  await asking.context().close()
})
