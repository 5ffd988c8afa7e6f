import type { BrowserContext } from 'playwright-core'
import type { WorldClock } from '../world/createWorldClock.ts'

/** Behind the world by more than this, what pages sign is refused as old. */
const toleranceMs = 1_000

/**
 * The clock of a world and of the pages of a browser context: `advance` moves both. Make it before the context's first
 * page: timers that a page has set by then stay the machine's.
 *
 * @example
 * ```ts
 * import { createPageClock, launchBrowser, startTestWorld } from 'latchkey-dev/testing'
 *
 * const world = await startTestWorld()
 * const context = await (await launchBrowser()).newContext()
 * const clock = await createPageClock(world.clock, context)
 * await clock.advance('16m')
 * ```
 */
export async function createPageClock(clock: WorldClock, context: BrowserContext): Promise<WorldClock> {
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
 * Gives the pages of a new browser context the world's time where a test before has moved it; else they keep the machine's.
 *
 * @example
 * ```ts
 * import { followWorld, launchBrowser, startTestWorld } from 'latchkey-dev/testing'
 *
 * const world = await startTestWorld()
 * const context = await (await launchBrowser()).newContext()
 * await followWorld(world.clock, context)
 * ```
 */
export async function followWorld(clock: WorldClock, context: BrowserContext): Promise<void> {
  if (clock.now() - Date.now() > toleranceMs) await context.clock.install({ time: clock.now() })
}
