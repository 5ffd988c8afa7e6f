import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchChromium } from './launchChromium.ts'
import type { Listening } from './listen.ts'
import { startPage } from './startPage.ts'
import { type Profile, startProfile } from './startProfile.ts'

/** A browser and a page with no service behind it for a file; a new tab of it for each test. */
export function passkeyTab(): { readonly page: Listening; readonly tab: Page } {
  let browser: Browser
  let page: Listening
  let profile: Profile
  let tab: Page
  beforeAll(async () => {
    ;[browser, page] = await Promise.all([launchChromium(), startPage(() => ({ signerApiUrl: 'http://localhost:1' }))])
    profile = await startProfile(browser, page.url)
  })
  afterAll(async () => {
    await browser?.close()
    await page?.close()
  })
  beforeEach(async () => {
    tab = await profile.context.newPage()
    await tab.goto(page.url)
    await tab.waitForFunction(() => window.page !== undefined)
  })
  afterEach(() => profile.renew([page.url]))
  return {
    get page() {
      return page
    },
    get tab() {
      return tab
    },
  }
}
