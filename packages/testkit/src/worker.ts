import { launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { test as base, type TestAPI } from 'vitest'
import { startTestChain, type TestChain } from './chain.ts'
import { type SignerPage, startPage } from './signer/startPage.ts'

export type WorkerFixtures = {
  /** Chain with a bundler, shared by all files of a worker. Tests use new accounts. */
  chain: TestChain
  /** Browser. Each test opens its own context. */
  browser: Browser
  /** Full Chromium, for comparisons with the stored screenshots. */
  fullBrowser: Browser
  /** Page with a signer, which the devnet's project allows. The devnet starts when a test needs it. */
  signerPage: SignerPage
  devnet: startTestDevnet.ReturnType
}

/** Starts a part once per worker, and closes it when the worker ends. */
export const oncePerWorker = <part extends { close(): Promise<void> }>(
  start: () => Promise<part>,
): [(context: object, use: (value: part) => Promise<void>) => Promise<void>, { scope: 'worker' }] => [
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
  async ({}, use) => {
    const part = await start()
    await use(part)
    await part.close()
  },
  { scope: 'worker' },
]

/**
 * Starts expensive parts once per worker. Tests create their own account, project, e-mail address or browser context in
 * these parts. A file that stops a part, mines or changes the clock starts a separate one.
 */
export const test: TestAPI<WorkerFixtures> = base.extend<WorkerFixtures>({
  chain: oncePerWorker(() => startTestChain({ bundler: true })),
  browser: oncePerWorker(() => launchBrowser({ light: true })),
  signerPage: oncePerWorker(() => startPage()),
  fullBrowser: oncePerWorker(() => launchBrowser()),
  devnet: [
    async ({ signerPage }, use) => {
      const devnet = await startTestDevnet({ appUrls: [`${signerPage.url}/`, `${signerPage.elsewhere}/`] })
      Object.assign(signerPage.config, { signerApiUrl: devnet.urls.signerApi, apiKey: devnet.apiKey })
      await use(devnet)
      await devnet.close()
    },
    { scope: 'worker' },
  ],
})
