// This import must replace the clock before a devnet starts.
import './shiftClock.ts'
import { test } from '@latchkey/testkit/worker'
import type { Devnet } from 'latchkey-dev'
import { confirmByMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

/**
 * Provides the worker's devnet and browser to the tests of a file. With `options`, the file gets its own devnet, which
 * it may change. `isWhole` uses the full browser, which blocks third-party storage; the headless shell does not.
 */
export function setStage(options?: startTestDevnet.Options, { isWhole = false } = {}) {
  let devnet: Devnet
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
      devnet = await startTestDevnet(options)
    })
  else
    test.beforeAll(({ devnet: shared }) => {
      devnet = shared
    })
  test.afterEach(() => close(open.test))
  test.afterAll(async () => {
    await close(open.file)
    if (options) await devnet?.close()
  })
  const newContext = async (closedAfter: keyof typeof open, options?: BrowserContextOptions) => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(60_000)
    open[closedAfter].add(context)
    return context
  }
  return {
    get devnet(): Devnet {
      return devnet
    },
    get browser(): Browser {
      return browser
    },
    /** Opens a browser profile with empty storage. It is closed after the test. */
    newContext: (options?: BrowserContextOptions) => newContext('test', options),
    /** Opens a browser profile for several tests. It is closed after the last test of the file. */
    newSharedContext: () => newContext('file'),
    /** Confirms a request as on another device. Uses the e-mail after the first `skip` e-mails. */
    confirm: (email: string, skip?: number) => confirmByMail(devnet, email, { browser, skip }),
  }
}
