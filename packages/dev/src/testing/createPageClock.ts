import type { BrowserContext } from 'playwright-core'
import type { DevnetClock } from '../devnet/createDevnetClock.ts'

/** Behind the devnet by more than this, what pages sign is refused as old. */
const toleranceMs = 1_000

/**
 * The clock of a devnet and of the pages of a browser context: `advance` moves both. Make it before the context's first
 * page: timers that a page has set by then stay the machine's.
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
 * Gives the pages of a new browser context the devnet's time where a test before has moved it; else they keep the machine's.
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
