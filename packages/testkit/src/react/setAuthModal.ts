import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import type { Listening } from '../signer/listen.ts'
import { test } from '../worker.ts'
import { authModalEntry } from './authModalEntry.ts'
import { serveEntry } from './serveEntry.ts'

const root = fileURLToPath(new URL('../../../latchkey/', import.meta.url))

/** Page, built once per worker. */
let built: Promise<Listening> | undefined

/** Provides the dialog at any step, 360 px wide, to the tests of a file. */
export function setAuthModal() {
  let server: Listening
  let page: Page
  let browser: Browser
  test.beforeAll(async ({ browser: launched }) => {
    browser = launched
    built ??= serveEntry(root, authModalEntry)
    server = await built
    // Reduces motion, because colors differ during the opening animation.
    const place = { locale: 'en-US', timezoneId: 'UTC' }
    page = await browser.newPage({ ...place, reducedMotion: 'reduce', viewport: { width: 360, height: 640 } })
    page.setDefaultTimeout(20_000)
  })
  afterAll(async () => {
    await page?.context().close()
  })
  return {
    get page() {
      return page
    },
    get browser() {
      return browser
    },
    /** Returns the URL of the page with the dialog at `step`. */
    urlOf: (step: string) => `${server.url}/?step=${step}`,
    /** Opens the page with the dialog at `step` (`&name=value` adds query parameters) and calls `use`. */
    async atStep(step: string, use: (page: Page) => Promise<void>) {
      await page.goto(`${server.url}/?step=${step}`)
      await page.locator('.lk-card').waitFor()
      await use(page)
    },
    /** Shows another step without loading the page. Resolves once the step is rendered and has the focus. */
    async show(step: string) {
      await page.evaluate((name) => (window as unknown as { show(step: string): Promise<void> }).show(name), step)
    },
  }
}
