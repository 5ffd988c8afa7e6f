import { randomBytes } from 'node:crypto'
import type { World } from 'latchkey-dev'
import { confirmByMail, readSignInMail } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { afterEach, beforeEach } from 'vitest'
import type { BaseError } from '../../../latchkey/src/core/errors/BaseError.ts'
import type { AuthParameters, Signer } from '../../../latchkey/src/signer/types.ts'
import { test } from '../worker.ts'
import type { SignerPage } from './startPage.ts'

/** A request of a tab. */
export type Sent = { method: string; path: string; headers: Record<string, string>; body: string }

export type WorldTabs = {
  readonly page: SignerPage
  readonly world: World
  readonly browser: Browser
  /** The profile of the present test. */
  readonly context: BrowserContext
  /** What the tabs of this test have sent to the services. */
  readonly requests: Sent[]
  open(url?: string, within?: BrowserContext): Promise<Page>
  /** Asks for a mail in this tab and reads it; `skip` mails to this address were read before. */
  ask(tab: Tab, email: string, skip?: number, redirectParams?: string): Promise<readSignInMail.ReturnType>
  /** Confirms by the next mail of this kind, as on another device; `skip` of them were read before. */
  confirm(email: string, skip?: number): Promise<string>
  /** Signs a user in by a link, opened in a second tab. */
  signIn(email?: string): Promise<{ asking: Page; opened: Page; link: string; email: string }>
}

export const newEmail = () => `ann-${randomBytes(4).toString('hex')}@example.com`
/** A page with a signer, or one that another page embeds. */
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
/** How a call of the signer was refused. */
export const refusal = (tab: Tab, verb: keyof Signer, argument: unknown = '') =>
  tab.evaluate(
    ([name, given]) =>
      (window.page.signer[name] as (value: unknown) => Promise<unknown>)(given).then(
        () => ({ name: 'none', code: 'none', message: '' }),
        ({ name: type, code, message }: BaseError) => ({ name: type, code, message }),
      ),
    [verb, argument] as const,
  )

/** The signer in a page, against the worker's world: real custody, mail and frames. A new profile for each test. */
export function worldTabs(): WorldTabs {
  let browser: Browser
  let page: SignerPage
  let world: World
  let context: BrowserContext
  let requests: Sent[]
  test.beforeAll(async ({ browser: launched, world: started, signerPage }) => {
    browser = launched
    world = started
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
  const tabs: WorldTabs = {
    get page() {
      return page
    },
    get world() {
      return world
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
    async open(url = `${page.url}/`, within = context) {
      const tab = await within.newPage()
      await tab.goto(url)
      await tab.waitForFunction(() => window.page !== undefined)
      return tab
    },
    async ask(tab, email, skip = 0, redirectParams) {
      const start = { email, ...(redirectParams !== undefined && { redirectParams }) }
      await tab.evaluate((given) => window.page.start(given), start)
      await status(tab, 'AWAITING_EMAIL_AUTH')
      return readSignInMail(world, email, { skip, linkTo: page.url })
    },
    confirm: (email, skip) => confirmByMail(world, email, { browser, skip }),
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
