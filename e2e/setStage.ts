import type { World } from 'latchkey-dev'
import { confirmByMail, launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'

export type Stage = {
  readonly world: World
  readonly browser: Browser
  /** A separate browser: nothing in its storage. Closed after the test. */
  newContext(): Promise<BrowserContext>
  /** One that is closed after the last test of the file: for a user shared by several tests. */
  newSharedContext(): Promise<BrowserContext>
  /** Confirms by the next mail of this kind to an address, as on another device; `skip` of them were read before. */
  confirm(email: string, skip?: number): Promise<string>
}

/**
 * A world as people meet it, with its mails of confirmation, and a browser for the tests of a file: the whole one, or what
 * `launch` starts.
 */
export function setStage(options?: startTestWorld.Options, launch: () => Promise<Browser> = launchBrowser): Stage {
  let world: World
  let browser: Browser
  const open = new Set<BrowserContext>()
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startTestWorld(options), launch()])
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
    context.setDefaultTimeout(60_000)
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
    confirm: (email, skip) => confirmByMail(world, email, { browser, skip }),
    async newContext() {
      const context = await newSharedContext()
      open.add(context)
      return context
    },
  }
}
