import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { setAuthModal } from '@latchkey/testkit/react/setAuthModal'
import { readMailCode } from '@latchkey/testkit/signer/enrollFactor'
import type { Listening } from '@latchkey/testkit/signer/listen'
import type { SignerPage } from '@latchkey/testkit/signer/startPage'
import { test } from '@latchkey/testkit/worker'
import type { Devnet } from 'latchkey-dev'
import { confirmByMail, createTotp } from 'latchkey-dev/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import type { Signer } from '../../../signer/types.ts'

declare global {
  interface Window {
    readSigner(): Signer
  }
}

const stage = setAuthModal()

/** App with the dialog. The test sets the factor up by the signer. */
const entry = `
import { createRoot } from 'react-dom/client'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { getSigner } from '/src/wallet/actions/signer.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useUser } from '/src/react/hooks/useUser.ts'
import '/src/react/ui/styles.css'

const { api, apiKey } = JSON.parse(localStorage.test)
const config = createConfig({ chain: latchkeyDev, apiKey, endpoints: latchkeyEndpoints(api), outbox: false })
window.readSigner = () => getSigner(config)
function Page() {
  const { openAuthModal } = useAuthModal()
  return <><button onClick={openAuthModal}>Open</button><output aria-label="user">{useUser()?.email}</output></>
}
createRoot(document.getElementById('root')).render(
  <LatchkeyProvider config={config} uiConfig={{ auth: { sections: [[{ type: 'email' }]] } }}><Page /></LatchkeyProvider>,
)
`

let server: Listening
let devnet: Devnet
let signerPage: SignerPage
let browser: Browser
test.beforeAll(async ({ browser: launched, devnet: started, signerPage: page }) => {
  devnet = started
  signerPage = page
  browser = launched
  server = await serveEntry(fileURLToPath(new URL('../../../..', import.meta.url)), entry)
})
afterAll(() => server?.close())

async function withApp(use: (tab: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US' })
  signerPage.instead = server.url
  try {
    const { signerApiUrl: api, apiKey } = signerPage.config
    await context.addInitScript((text) => {
      if (location.protocol.startsWith('http')) localStorage.test = text
    }, JSON.stringify({ api, apiKey }))
    const tab = await context.newPage()
    await tab.goto(`${signerPage.url}/`)
    await use(tab)
  } finally {
    signerPage.instead = undefined
    await context.close()
  }
}

async function enterMailCode(tab: Page, email: string, skip: number): Promise<void> {
  await tab.getByRole('button', { name: 'Open' }).click()
  await tab.getByRole('textbox', { name: 'Email' }).fill(email)
  await tab.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  const { code } = await readMailCode(devnet, email, skip)
  await tab.getByRole('textbox', { name: 'Reading it on another device? Enter the code from the email.' }).fill(code)
}

test('asks for the second factor after the code, and again after a wrong one', async () => {
  const email = `ann-${crypto.randomUUID().slice(0, 8)}@example.com`
  await withApp(async (tab) => {
    const signedIn = tab.getByLabel('user').getByText(email)
    await enterMailCode(tab, email, 0)
    await signedIn.waitFor()
    const made = await tab.evaluate(() => window.readSigner().addMfa({ multiFactorType: 'totp' }))
    const app = createTotp(made.multiFactorTotpUrl)
    const given = { multiFactorId: made.multiFactorId, multiFactorCode: app.code() }
    const [{ recoveryCodes }] = await Promise.all([
      tab.evaluate((parameters) => window.readSigner().verifyMfa(parameters), given),
      confirmByMail(devnet, email, { browser }),
    ])
    await tab.evaluate(() => window.readSigner().disconnect())

    await enterMailCode(tab, email, 1)
    const field = tab.getByRole('textbox', { name: 'Six-digit code' })
    await field.fill('000000')
    await tab.getByRole('alert').filter({ hasText: 'Invalid MFA code' }).waitFor()
    expect(await field.inputValue()).toBe('')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    await field.fill(app.code({ ahead: 1 }))
    await signedIn.waitFor()
    await tab.getByRole('dialog').waitFor({ state: 'hidden' })
    await tab.evaluate(() => window.readSigner().disconnect())

    await enterMailCode(tab, email, 2)
    await tab.getByRole('button', { name: 'Use a recovery code' }).click()
    await tab.getByRole('textbox', { name: 'Recovery code' }).fill(recoveryCodes[0] ?? '')
    await tab.keyboard.press('Enter')
    await signedIn.waitFor()
  })
})

test('focuses the field, clears a refused code and keeps the focus', async () => {
  await stage.atStep('mfa', async (page) => {
    const input = page.getByRole('textbox', { name: 'Six-digit code' })
    await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('123456')
    await page.waitForFunction(() => document.title === '123456')
    await stage.show('mfa_refused')
    await expect.poll(() => input.inputValue()).toBe('')
    expect(await input.getAttribute('aria-invalid')).toBe('true')
    expect(await input.evaluate((element) => element === document.activeElement)).toBe(true)
  })
})

test('switches to a recovery code and back', async () => {
  await stage.atStep('mfa_refused', async (page) => {
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
    const input = page.getByRole('textbox', { name: 'Recovery code' })
    await expect.poll(() => input.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('abcd-efgh')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForFunction(() => document.title === 'abcd-efgh')
    await page.getByRole('button', { name: 'Use the authenticator app' }).click()
    await page.getByRole('textbox', { name: 'Six-digit code' }).waitFor()
  })
})
