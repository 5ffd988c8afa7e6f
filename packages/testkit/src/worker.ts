import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { test as base, type TestAPI } from 'vitest'
import { startTestChain, type TestChain } from './chain.ts'
import { type SignerPage, startPage } from './signer/startPage.ts'

export type WorkerFixtures = {
  /** A devnet chain with its bundler. Tests of all files of the worker share it: use fresh accounts. */
  chain: TestChain
  /** The browser for page tests. A test opens a context of its own in it. */
  browser: Browser
  /** Chromium with the parts of a window, which draws as kept pictures were drawn. */
  fullBrowser: Browser
  /** A page with a signer, which the world's project lists. Its service is the world, once that was asked for. */
  signerPage: SignerPage
  /** Chain, bundler, database, inbox, all server roles and the example wallet. */
  world: startTestWorld.ReturnType
}

/**
 * Vitest's `test` with what is expensive to start, once a worker. A test makes a tenant of its own in it: an account, a
 * project, a mail address, a browser context. A file that stops or kills a part, mines or moves the clock starts its own.
 */
export const test: TestAPI<WorkerFixtures> = base.extend<WorkerFixtures>({
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
      const browser = await launchBrowser({ light: true })
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  signerPage: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const page = await startPage()
      await use(page)
      await page.close()
    },
    { scope: 'worker' },
  ],
  fullBrowser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const browser = await launchBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  world: [
    async ({ signerPage }, use) => {
      const world = await startTestWorld({ appUrls: [`${signerPage.url}/`, `${signerPage.elsewhere}/`] })
      Object.assign(signerPage.config, { signerApiUrl: world.urls.signerApi, apiKey: world.apiKey })
      await use(world)
      await world.close()
    },
    { scope: 'worker' },
  ],
})
