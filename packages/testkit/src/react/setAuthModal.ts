import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll } from 'vitest'
import type { Listening } from '../signer/listen.ts'
import { test } from '../worker.ts'
import { authModalEntry } from './authModalEntry.ts'
import { serveEntry } from './serveEntry.ts'

const root = fileURLToPath(new URL('../../../latchkey/', import.meta.url))

export type AuthModalStage = {
  page: Page
  /** Opens the page with the dialog at `step` (`&name=value` adds parameters), then calls `use`. */
  atStep(step: string, use: (page: Page) => Promise<void>): Promise<void>
  /** Shows another step without a load. Resolves when it is there, opened and with its focus. */
  show(step: string): Promise<void>
}

/** Built once a worker, and served until it ends. */
let built: Promise<Listening> | undefined

/** The dialog at any step on a page of its own, in a window of 360 px, for the tests of a file. */
export function setAuthModal(): AuthModalStage {
  let server: Listening
  let page: Page
  test.beforeAll(async ({ browser }) => {
    built ??= serveEntry(root, authModalEntry)
    server = await built
    // Without the opening animation, during which colours differ.
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
    async atStep(step, use) {
      await page.goto(`${server.url}/?step=${step}`)
      await page.locator('.lk-card').waitFor()
      await use(page)
    },
    async show(step) {
      await page.evaluate((name) => (window as unknown as { show(step: string): Promise<void> }).show(name), step)
    },
  }
}
