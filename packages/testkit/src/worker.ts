import { launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { test as base, type TestAPI } from 'vitest'
import { startTestChain, type TestChain } from './chain.ts'
import { type SignerPage, startPage } from './signer/startPage.ts'

export type WorkerFixtures = {
  /** Tests of all files of a worker share this chain with its bundler and use fresh accounts. */
  chain: TestChain
  /** Each test opens its own context in this browser. */
  browser: Browser
  /** The full Chromium, in which the stored pictures were taken. */
  fullBrowser: Browser
  /** The devnet's project lists this page with a signer, which uses the devnet once a test asks for it. */
  signerPage: SignerPage
  devnet: startTestDevnet.ReturnType
}

/** Starts a part once per worker, and closes it with the worker. */
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
 * Starts expensive parts once per worker. A test creates its own account, project, mail address or browser context in
 * them; a file that stops a part, mines or moves the clock starts its own.
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
