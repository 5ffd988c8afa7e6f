import { randomBytes } from 'node:crypto'
import type { Devnet } from 'latchkey-dev'
import { confirmByMail, readConfirmationMail, readExportByMail, readSignInMail } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { afterEach, beforeEach } from 'vitest'
import type { BaseError } from '../../../latchkey/src/core/errors/BaseError.ts'
import type { AuthParameters } from '../../../latchkey/src/signer/AuthParameters.ts'
import type { Signer } from '../../../latchkey/src/signer/types.ts'
import { test } from '../worker.ts'
import type { SignerPage } from './startPage.ts'

export type Sent = { method: string; path: string; headers: Record<string, string>; body: string }

export const newEmail = () => `ann-${randomBytes(4).toString('hex')}@example.com`
/** Tab, or a frame of a page that embeds the signer's page. */
export type Tab = Pick<Frame, 'evaluate' | 'waitForFunction'>

export const status = (tab: Tab, wanted: string) =>
  tab.waitForFunction((name) => window.page.signer.status === name, wanted)
export const readStatus = (tab: Tab) => tab.evaluate(() => window.page.signer.status)
export const authenticate = (tab: Tab, parameters: AuthParameters) =>
  tab.evaluate(
    (given) =>
      window.page.signer.authenticate(given).then(
        (user) => ({ user, code: undefined, message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ user: undefined, code, message }),
      ),
    parameters,
  )
export const sign = async (tab: Tab, message = 'hello') =>
  recoverMessageAddress({
    message,
    signature: await tab.evaluate((text) => window.page.signer.signMessage(text), message),
  })
export const refusal = (tab: Tab, verb: keyof Signer, argument: unknown = '') =>
  tab.evaluate(
    ([name, given]) =>
      (window.page.signer[name] as (value: unknown) => Promise<unknown>)(given).then(
        () => ({ name: 'none', code: 'none', message: '' }),
        ({ name: type, code, message }: BaseError) => ({ name: type, code, message }),
      ),
    [verb, argument] as const,
  )

/** Provides a page with a signer of the worker's devnet, and a new browser profile for each test. */
export function devnetTabs() {
  let browser: Browser
  let page: SignerPage
  let devnet: Devnet
  let context: BrowserContext
  let requests: Sent[]
  test.beforeAll(async ({ browser: launched, devnet: started, signerPage }) => {
    browser = launched
    devnet = started
    page = signerPage
  })
  beforeEach(async () => {
    context = await browser.newContext()
    requests = []
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (!/^\/(?:signer|public)\/v1\//.test(pathname)) return
      const body = request.postData() ?? ''
      requests.push({ method: request.method(), path: pathname, headers: request.headers(), body })
    })
  })
  afterEach(() => context?.close())
  const tabs = {
    get page() {
      return page
    },
    get devnet() {
      return devnet
    },
    get browser() {
      return browser
    },
    get context() {
      return context
    },
    get requests() {
      return requests
    },
    async open(url = `${page.url}/`, within = context): Promise<Page> {
      const tab = await within.newPage()
      await tab.goto(url)
      await tab.waitForFunction(() => window.page !== undefined)
      return tab
    },
    /** Requests an e-mail in this tab and reads it. `skip`: number of earlier e-mails. */
    async ask(tab: Tab, email: string, skip = 0, redirectParams?: string): Promise<readSignInMail.ReturnType> {
      const start = { email, ...(redirectParams !== undefined && { redirectParams }) }
      await tab.evaluate((given) => window.page.start(given), start)
      await status(tab, 'AWAITING_EMAIL_AUTH')
      return readSignInMail(devnet, email, { skip, linkTo: page.url })
    },
    /** Confirms a request with the e-mail after the first `skip` ones, as on another device. */
    confirm: (email: string, skip?: number) => confirmByMail(devnet, email, { browser, skip }),
    /** Returns the link of the e-mail that asks to confirm a request. */
    readConfirmation: (email: string) => readConfirmationMail(devnet, email),
    /** Confirms an import from its e-mail by entering the secret on the confirmation page. */
    enterImport: (email: string, secret: string) => confirmByMail(devnet, email, { browser, secret }),
    /** Confirms an export from its e-mail and returns the secret that the confirmation page shows. */
    readExport: (email: string) => readExportByMail(devnet, email, { browser }),
    /** Signs a user in by a link that is opened in a second tab. */
    async signIn(email = newEmail()) {
      const asking = await tabs.open()
      const { link } = await tabs.ask(asking, email)
      const opened = await tabs.open(link)
      await Promise.all([status(asking, 'CONNECTED'), status(opened, 'CONNECTED')])
      return { asking, opened, link, email }
    },
  }
  return tabs
}
