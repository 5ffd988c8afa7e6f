import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach } from 'vitest'
import { test } from '../worker.ts'
import type { SignerPage } from './startPage.ts'

/** Provides a tab in a new browser profile for each test. The page has an unused signer. */
export function passkeyTab(): { readonly page: SignerPage; readonly tab: Page } {
  let page: SignerPage
  let open: () => Promise<BrowserContext>
  let context: BrowserContext
  let tab: Page
  test.beforeAll(async ({ browser, signerPage }) => {
    page = signerPage
    open = () => browser.newContext()
  })
  beforeEach(async () => {
    context = await open()
    tab = await context.newPage()
    await tab.goto(page.url)
    await tab.waitForFunction(() => window.page !== undefined)
  })
  afterEach(() => context?.close())
  return {
    get page() {
      return page
    },
    get tab() {
      return tab
    },
  }
}
