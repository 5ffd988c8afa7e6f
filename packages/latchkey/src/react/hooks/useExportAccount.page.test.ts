import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { launchChromium } from '@latchkey/testkit/signer/launchChromium'
import type { Listening } from '@latchkey/testkit/signer/listen'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const entry = `
import { createRoot } from 'react-dom/client'
import { createConfig } from '/src/wallet/createConfig.ts'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useExportAccount } from '/src/react/hooks/useExportAccount.ts'
import { useLogout } from '/src/react/hooks/useLogout.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'

const endpoints = latchkeyEndpoints(new URLSearchParams(location.search).get('api'))
const config = createConfig({ chain: latchkeyDev, apiKey: 'key', endpoints })

function Page() {
  const { status } = useSignerStatus()
  const { exportAccount, isExported, error, ExportAccountComponent } = useExportAccount()
  const { logout } = useLogout()
  return (
    <>
      <button type="button" onClick={() => exportAccount()}>Export</button>
      <button type="button" onClick={() => logout()}>Log out</button>
      <output aria-label="status">{status}</output>
      <output aria-label="outcome">{error ? error.code : String(isExported)}</output>
      <ExportAccountComponent isExported={isExported} />
    </>
  )
}

createRoot(document.getElementById('root')).render(<LatchkeyProvider config={config}><Page /></LatchkeyProvider>)
`

/** A passkey session: it is restored without a request. */
const session = {
  type: 'passkey',
  user: {
    orgId: 'ORG',
    userId: 'USER',
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    credentialId: 'CREDENTIAL',
  },
  expirationDateMs: Date.now() + 3_600_000,
}

let browser: Browser
let server: Listening
/** A loopback URL without a server, which no port that a system lends can become. */
const nowhere = 'http://localhost:4'

beforeAll(async () => {
  server = await serveEntry(root, entry)
  browser = await launchChromium()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

test('behavior: the result of an export is cleared when the session ends', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  try {
    await page.addInitScript(
      (stored) => {
        localStorage.setItem('alchemy-signer-session', stored)
      },
      JSON.stringify({ state: { session }, version: 0 }),
    )
    await page.goto(`${server.url}/?api=${nowhere}`)
    await page
      .getByLabel('status')
      .filter({ hasText: /^CONNECTED$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const outcome = page.getByLabel('outcome')
    await outcome.filter({ hasText: 'NETWORK_UNREACHABLE' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page
      .getByLabel('status')
      .filter({ hasText: /^DISCONNECTED$/ })
      .waitFor()
    await outcome.filter({ hasText: 'false' }).waitFor()
    expect(await page.locator('#latchkey-export-container').isHidden()).toBe(true)
  } finally {
    await context.close()
  }
})
