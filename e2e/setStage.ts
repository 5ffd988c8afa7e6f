import type { World } from 'latchkey-dev'
import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'

export type Stage = {
  readonly world: World
  /** A browser of somebody's own: nothing in its storage. Closed after the test. */
  newContext(): Promise<BrowserContext>
}

/** A world and a browser for the tests of a file. */
export function setStage(): Stage {
  let world: World
  let browser: Browser
  beforeAll(async () => {
    world = await startTestWorld()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((open) => open.close()))
  })
  return {
    get world() {
      return world
    },
    async newContext() {
      const context = await browser.newContext()
      context.setDefaultTimeout(20_000)
      return context
    },
  }
}
