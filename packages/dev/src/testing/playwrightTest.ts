import { test as base, expect as baseExpect, type Page } from '@playwright/test'
import type { DevnetClock } from '../devnet/createDevnetClock.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { addAuthenticator } from './addAuthenticator.ts'
import { createInbox } from './createInbox.ts'
import { createPageClock, followDevnet } from './createPageClock.ts'
import { createPageFaults, type PageFaults } from './createPageFaults.ts'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'
import { createTestWallet } from './createTestWallet.ts'
import type { KitAccount } from './kitPage/types.ts'
import { findChromium } from './launchBrowser.ts'
import { mapDevnetPorts } from './mapDevnetPorts.ts'
import { operationMatchers } from './operationMatchers.ts'
import { noPeople, type SeededPeople } from './seededPeople.ts'
import { signInAs } from './signInAs.ts'
import { startTestDevnet } from './startTestDevnet.ts'

export type DevnetSettings = startTestDevnet.Options & {
  /** URL of the devnet that the app was built for. @default 'http://localhost:4100' */
  builtFor?: string | undefined
  /** Account type of the app. @default 'LightAccount' */
  account?: KitAccount | undefined
  /** Gas policy of the app. `null` lets the account pay. @default the devnet's policy */
  policyId?: string | null | undefined
}

export type WorkerFixtures = {
  /** Set in the configuration by `use: { devnetSettings: { … } }`. */
  devnetSettings: DevnetSettings
  /** The worker's devnet, on free ports. */
  devnet: Devnet
  people: SeededPeople
}

export type TestFixtures = {
  inbox: createInbox.ReturnType
  wallet: createTestWallet.ReturnType
  passkey: {
    /** Adds Chromium's virtual device to the test's page or to `page`. */
    add(options?: addAuthenticator.Options & { page?: Page }): Promise<addAuthenticator.ReturnType>
    /**
     * Adds a software device to all pages of the test: for other browsers, passkeys without counters, and cancelled
     * prompts.
     */
    addSoftware(options?: createSoftwarePasskey.Options): Promise<createSoftwarePasskey.ReturnType>
  }
  /** The devnet's identity provider. */
  provider: { signInAs(name: string): Promise<void> }
  clock: DevnetClock
  /** Faults of devnet and pages. They end with the test. */
  faults: PageFaults
}

const devnetTimeoutMs = 180_000

/**
 * Playwright's `test` with one Latchkey devnet per worker. The configuration's `webServer` serves the app, built for a
 * devnet at http://localhost:4100, and `use.baseURL` is its URL. The browser redirects requests for that devnet to the
 * worker's own.
 *
 * @example
 * ```ts
 * import { expect, test } from 'latchkey-dev/playwright'
 *
 * test('a payment is sponsored', async ({ page, wallet }) => {
 *   await wallet.as('ada')
 *   await page.goto('/')
 *   const operation = await wallet.send({ target: '0x000000000000000000000000000000000000dEaD' })
 *   expect(operation).toBeSponsored()
 * })
 * ```
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  devnetSettings: [{}, { scope: 'worker', option: true }],
  devnet: [
    async ({ devnetSettings }, use, { project }) => {
      const { builtFor: _, account: __, policyId: ___, ...options } = devnetSettings
      const { baseURL } = project.use
      const appUrls = options.appUrls ?? (baseURL ? [baseURL] : [])
      const devnet = await startTestDevnet({ example: false, ...options, appUrls })
      await use(devnet)
      await devnet.close()
    },
    { scope: 'worker', timeout: devnetTimeoutMs },
  ],
  people: [async ({ devnet: _ }, use) => use(noPeople()), { scope: 'worker' }],
  launchOptions: [
    async ({ devnet, devnetSettings, browserName, launchOptions }, use) => {
      if (browserName !== 'chromium') return use(launchOptions)
      const args = [...(launchOptions.args ?? []), ...mapDevnetPorts(devnet, devnetSettings.builtFor)]
      // Chromium's sandbox does not work as root.
      if (process.getuid?.() === 0) args.push('--no-sandbox')
      const executablePath = launchOptions.executablePath ?? (await findChromium())
      await use({ ...launchOptions, args, ...(executablePath && { executablePath }) })
    },
    { scope: 'worker' },
  ],
  provider: async ({ devnet, context }, use) => use({ signInAs: (name) => signInAs({ context, devnet }, name) }),
  inbox: async ({ devnet, browser }, use) => use(createInbox(devnet, async () => browser)),
  wallet: async ({ devnet, devnetSettings, context, inbox, people, baseURL }, use, info) => {
    const { builtFor = 'http://localhost:4100', account, policyId } = devnetSettings
    const wallet = createTestWallet({
      devnet,
      context,
      appUrl: baseURL ?? devnet.urls.wallet,
      devnetUrl:
        info.project.use.browserName === 'chromium' || !info.project.use.browserName ? builtFor : devnet.urls.wallet,
      inbox,
      account,
      policyId,
      people,
      note: (description) => info.annotations.push({ type: 'latchkey', description }),
    })
    await use(wallet)
    await wallet.close()
  },
  // An earlier test of this worker may have changed the devnet's clock.
  context: async ({ context, devnet }, use) => {
    await followDevnet(devnet.clock, context)
    await use(context)
  },
  passkey: async ({ page, context }, use) =>
    use({
      add: ({ page: other = page, ...options } = {}) => addAuthenticator(other, options),
      async addSoftware(options) {
        const passkey = createSoftwarePasskey(options)
        await passkey.installIn(context)
        return passkey
      },
    }),
  clock: async ({ devnet, context }, use) => use(await createPageClock(devnet.clock, context)),
  faults: async ({ devnet, context }, use) => {
    const faults = createPageFaults(devnet, context)
    await use(faults)
    await faults.clear()
  },
})

export const expect = baseExpect.extend(operationMatchers)
