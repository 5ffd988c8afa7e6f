import { test as base, expect as baseExpect, type Page } from '@playwright/test'
import type { WorldClock } from '../world/createWorldClock.ts'
import type { World } from '../world/world.ts'
import { addAuthenticator } from './addAuthenticator.ts'
import { createInbox } from './createInbox.ts'
import { createPageClock, followWorld } from './createPageClock.ts'
import { createPageFaults, type PageFaults } from './createPageFaults.ts'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'
import { createTestWallet } from './createTestWallet.ts'
import type { KitAccount } from './kitPage/types.ts'
import { findChromium } from './launchBrowser.ts'
import { mapWorldPorts } from './mapWorldPorts.ts'
import { operationMatchers } from './operationMatchers.ts'
import { noPeople, type SeededPeople } from './seededPeople.ts'
import { startTestWorld } from './startTestWorld.ts'

export type WorldSettings = startTestWorld.Options & {
  /** URL of the world that the app was built for. @default 'http://localhost:4100' */
  builtFor?: string | undefined
  /** Account type of the app. @default 'LightAccount' */
  account?: KitAccount | undefined
  /** Policy of the app; `null`: the account pays. @default the world's */
  policyId?: string | null | undefined
}

export type WorkerFixtures = {
  /** Set by `use: { worldSettings: { … } }` of the configuration. */
  worldSettings: WorldSettings
  /** A world for the worker, on free ports. */
  world: World
  people: SeededPeople
}

export type TestFixtures = {
  inbox: createInbox.ReturnType
  wallet: createTestWallet.ReturnType
  passkey: {
    /** Chromium's virtual device, in the test's page or another one. */
    add(options?: addAuthenticator.Options & { page?: Page }): Promise<addAuthenticator.ReturnType>
    /** A device in software, in every page of the test: for the other engines, for passkeys that never count, and to cancel. */
    addSoftware(options?: createSoftwarePasskey.Options): Promise<createSoftwarePasskey.ReturnType>
  }
  clock: WorldClock
  /** Faults of world and page; they end with the test. */
  faults: PageFaults
}

const worldTimeoutMs = 180_000

/**
 * Playwright's `test` with a Latchkey world a worker. The app itself is served by `webServer` of the configuration, built
 * for the world at http://localhost:4100, and `use.baseURL` names it; the browser finds the worker's own world there.
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
  worldSettings: [{}, { scope: 'worker', option: true }],
  world: [
    async ({ worldSettings }, use, { project }) => {
      const { builtFor: _, account: __, policyId: ___, ...options } = worldSettings
      const { baseURL } = project.use
      const appUrls = options.appUrls ?? (baseURL ? [baseURL] : [])
      const world = await startTestWorld({ example: false, ...options, appUrls })
      await use(world)
      await world.close()
    },
    { scope: 'worker', timeout: worldTimeoutMs },
  ],
  people: [async ({ world: _ }, use) => use(noPeople()), { scope: 'worker' }],
  launchOptions: [
    async ({ world, worldSettings, browserName, launchOptions }, use) => {
      if (browserName !== 'chromium') return use(launchOptions)
      const args = [...(launchOptions.args ?? []), ...mapWorldPorts(world, worldSettings.builtFor)]
      // Chromium's sandbox does not work for root.
      if (process.getuid?.() === 0) args.push('--no-sandbox')
      const executablePath = launchOptions.executablePath ?? (await findChromium())
      await use({ ...launchOptions, args, ...(executablePath && { executablePath }) })
    },
    { scope: 'worker' },
  ],
  inbox: async ({ world, browser }, use) => use(createInbox(world, async () => browser)),
  wallet: async ({ world, worldSettings, context, inbox, people, baseURL }, use, info) => {
    const { builtFor = 'http://localhost:4100', account, policyId } = worldSettings
    const wallet = createTestWallet({
      world,
      context,
      appUrl: baseURL ?? world.urls.wallet,
      worldUrl:
        info.project.use.browserName === 'chromium' || !info.project.use.browserName ? builtFor : world.urls.wallet,
      inbox,
      account,
      policyId,
      people,
      note: (description) => info.annotations.push({ type: 'latchkey', description }),
    })
    await use(wallet)
    await wallet.close()
  },
  // An earlier test of the worker may have moved the world's time.
  context: async ({ context, world }, use) => {
    await followWorld(world.clock, context)
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
  clock: async ({ world, context }, use) => use(await createPageClock(world.clock, context)),
  faults: async ({ world, context }, use) => {
    const faults = createPageFaults(world, context)
    await use(faults)
    await faults.clear()
  },
})

export const expect = baseExpect.extend(operationMatchers)
