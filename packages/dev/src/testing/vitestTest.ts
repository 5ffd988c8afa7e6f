import { test as base, expect } from 'vitest'
import type { DevnetClock } from '../devnet/createDevnetClock.ts'
import type { DevnetFaults } from '../devnet/createDevnetFaults.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { createInbox } from './createInbox.ts'
import { createScriptWallet } from './createScriptWallet.ts'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'
import { type OperationMatchers, operationMatchers } from './operationMatchers.ts'
import { signInScript } from './signInScript.ts'
import { startTestDevnet } from './startTestDevnet.ts'

export type Fixtures = {
  /** The worker's devnet, on free ports. */
  devnet: Devnet
  inbox: createInbox.ReturnType
  wallet: {
    /** Returns the account with this name, without a sign-in. A name has the same account in every test. */
    as(name: string, options?: createScriptWallet.Options): Promise<createScriptWallet.ReturnType>
    /** Signs a user up or in with a software passkey. */
    signIn(options?: signInScript.Options): Promise<signInScript.ReturnType>
  }
  passkey: {
    /**
     * Adds a software passkey device. Its options include cancelled prompts, no user verification, and signature
     * counters.
     */
    addSoftware(options?: createSoftwarePasskey.Options): createSoftwarePasskey.ReturnType
  }
  clock: DevnetClock
  /** Faults of the devnet. They end with the test. */
  faults: DevnetFaults
}

/**
 * Vitest's `test` with one Latchkey devnet per worker, for tests without a browser. Set the configuration's
 * `hookTimeout` and `testTimeout` to a minute, because the first devnet of a machine takes some seconds to start.
 *
 * @example
 * ```ts
 * import { expect, test } from 'latchkey-dev/vitest'
 *
 * test('a call is sponsored', async ({ wallet }) => {
 *   const ada = await wallet.as('ada')
 *   expect(await ada.send({ target: '0x000000000000000000000000000000000000dEaD' })).toBeSponsored()
 * })
 * ```
 */
export const test = base.extend<Fixtures>({
  devnet: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const devnet = await startTestDevnet({ example: false })
      await use(devnet)
      await devnet.close()
    },
    { scope: 'worker' },
  ],
  inbox: async ({ devnet }, use) => use(createInbox(devnet)),
  wallet: async ({ devnet }, use) =>
    use({
      as: (name, options) => createScriptWallet(devnet, name, options),
      signIn: (options) => signInScript(devnet, options),
    }),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
  passkey: async ({}, use) => use({ addSoftware: createSoftwarePasskey }),
  clock: async ({ devnet }, use) => use(devnet.clock),
  faults: async ({ devnet }, use) => {
    await use(devnet.faults)
    await devnet.faults.clear()
  },
})

expect.extend(operationMatchers)

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest declares it.
  interface Assertion<T = any> extends OperationMatchers {}
}

export { expect }
