import { startTestWorld } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { test as base } from 'vitest'
import { startTestChain, type TestChain } from './chain.ts'
import { launchChromium } from './signer/launchChromium.ts'

type WorkerFixtures = {
  /** A devnet chain with its bundler. Tests of all files of the worker share it: use fresh accounts. */
  chain: TestChain
  /** The browser for page tests. A test opens a context of its own in it. */
  browser: Browser
  /** Chain, bundler, database, inbox, all server roles and the example wallet. */
  world: startTestWorld.ReturnType
}

/**
 * Vitest's `test` with what is expensive to start, once a worker. A test makes a tenant of its own in it: an account, a
 * project, a mail address, a browser context. A file that stops or kills a part, mines or moves the clock starts its own.
 */
export const test = base.extend<WorkerFixtures>({
  chain: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const chain = await startTestChain({ bundler: true })
      await use(chain)
      await chain.close()
    },
    { scope: 'worker' },
  ],
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const browser = await launchChromium()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const world = await startTestWorld()
      await use(world)
      await world.close()
    },
    { scope: 'worker' },
  ],
})
