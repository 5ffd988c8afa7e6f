// The import replaces the clock before a devnet starts.
import './inThePast.ts'
import { test } from '@latchkey/testkit/worker'
import type { World } from 'latchkey-dev'
import { confirmByMail, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

export type Stage = {
  readonly world: World
  readonly browser: Browser
  /** Closes after the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** Closes after the last test of the file, for a user that several tests share. */
  newSharedContext(): Promise<BrowserContext>
  /** Confirms by the next mail to an address after `skip` read ones, as on another device. */
  confirm(email: string, skip?: number): Promise<string>
}

/**
 * Provides the worker's devnet and browser to the tests of a file. With options the file gets its own devnet, which it
 * may change. `isWhole` uses the full browser, which blocks third-party storage unlike the headless shell.
 */
export function setStage(options?: startTestWorld.Options, { isWhole = false }: { isWhole?: boolean } = {}): Stage {
  let world: World
  let browser: Browser
  const open = { test: new Set<BrowserContext>(), file: new Set<BrowserContext>() }
  const close = async (contexts: Set<BrowserContext>) => {
    await Promise.all([...contexts].map((context) => context.close()))
    contexts.clear()
  }
  if (isWhole)
    test.beforeAll(({ fullBrowser }) => {
      browser = fullBrowser
    })
  else
    test.beforeAll(({ browser: shared }) => {
      browser = shared
    })
  if (options)
    test.beforeAll(async () => {
      world = await startTestWorld(options)
    })
  else
    test.beforeAll(({ world: shared }) => {
      world = shared
    })
  test.afterEach(() => close(open.test))
  test.afterAll(async () => {
    await close(open.file)
    if (options) await world?.close()
  })
  const newContext = async (closedAfter: keyof typeof open, options?: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(60_000)
    open[closedAfter].add(context)
    return context
  }
  return {
    get world() {
      return world
    },
    get browser() {
      return browser
    },
    newContext: (options) => newContext('test', options),
    newSharedContext: () => newContext('file'),
    confirm: (email, skip) => confirmByMail(world, email, { browser, skip }),
  }
}
