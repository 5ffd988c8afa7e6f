import type { BrowserContext } from 'playwright-core'
import type { DevnetClock } from '../devnet/createDevnetClock.ts'

/** Largest difference between page and devnet. Signatures of a page that lags further behind are refused as too old. */
const toleranceMs = 1_000

/**
 * Creates a clock that moves a devnet and the pages of a browser context together. Create it before the context's first
 * page, because existing timers follow the machine's time.
 *
 * @example
 * ```ts
 * import { createPageClock, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const context = await (await launchBrowser()).newContext()
 * const clock = await createPageClock(devnet.clock, context)
 * await clock.advance('16m')
 * ```
 */
export async function createPageClock(clock: DevnetClock, context: BrowserContext): Promise<DevnetClock> {
  await context.clock.install({ time: clock.now() })
  return {
    now: clock.now,
    async advance(by) {
      const before = clock.now()
      await clock.advance(by)
      await context.clock.fastForward(clock.now() - before)
    },
  }
}

/**
 * Sets the devnet's time in a new browser context if an earlier test changed it.
 *
 * @example
 * ```ts
 * import { followDevnet, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const context = await (await launchBrowser()).newContext()
 * await followDevnet(devnet.clock, context)
 * ```
 */
export async function followDevnet(clock: DevnetClock, context: BrowserContext): Promise<void> {
  if (clock.now() - Date.now() > toleranceMs) await context.clock.install({ time: clock.now() })
}
