// Before a world starts, so that tests of the worker's other files can set its clock back.
import './inThePast.ts'
import { test } from '@latchkey/testkit/worker'
import type { World } from 'latchkey-dev'
import { confirmByMail, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

export type Stage = {
  readonly world: World
  readonly browser: Browser
  /** A browser profile with empty storage. Closed after the test. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A browser profile for a user of several tests. Closed after the last test of the file. */
  newSharedContext(): Promise<BrowserContext>
  /** Confirms by the next mail to an address, as on another device; `skip`: mails that were read before. */
  confirm(email: string, skip?: number): Promise<string>
}

/**
 * The worker's world and browser for the tests of a file. With options, the file gets a world of its own: for tests that
 * move its clock, change its hosts or count everything in it. `isWhole`: the browser with the parts of a window, which
 * refuses storage to frames of other sites; the headless shell keeps it.
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
