import type { World } from 'latchkey-dev'
import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'

export type Stage = {
  readonly world: World
  readonly browser: Browser
  /** A separate browser: nothing in its storage. Closed after the test. */
  newContext(): Promise<BrowserContext>
  /** One that is closed after the last test of the file: for a user shared by several tests. */
  newSharedContext(): Promise<BrowserContext>
}

/** A world and a browser for the tests of a file. Only those of confirmations wait for their mails. */
export function setStage(options?: startTestWorld.Options): Stage {
  let world: World
  let browser: Browser
  const open = new Set<BrowserContext>()
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startTestWorld({ confirmations: 'none', ...options }), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })
  afterEach(async () => {
    await Promise.all([...open].map((context) => context.close()))
    open.clear()
  })
  const newSharedContext = async () => {
    const context = await browser.newContext()
    context.setDefaultTimeout(30_000)
    return context
  }
  return {
    get world() {
      return world
    },
    get browser() {
      return browser
    },
    newSharedContext,
    async newContext() {
      const context = await newSharedContext()
      open.add(context)
      return context
    },
  }
}
