import { test as base, expect } from 'vitest'
import type { WorldClock } from '../world/createWorldClock.ts'
import type { WorldFaults } from '../world/createWorldFaults.ts'
import type { World } from '../world/world.ts'
import { createInbox } from './createInbox.ts'
import { createScriptWallet } from './createScriptWallet.ts'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'
import { type OperationMatchers, operationMatchers } from './operationMatchers.ts'
import { signInScript } from './signInScript.ts'
import { startTestWorld } from './startTestWorld.ts'

export type Fixtures = {
  /** A world for the worker, on free ports. */
  world: World
  inbox: createInbox.ReturnType
  wallet: {
    /** The account of a name, the same in every test; no sign-in is involved. */
    as(name: string, options?: createScriptWallet.Options): Promise<createScriptWallet.ReturnType>
    /** A person who signs up, or in, by a passkey in software. */
    signIn(options?: signInScript.Options): Promise<signInScript.ReturnType>
  }
  passkey: {
    /** A passkey device in software: it can cancel, check no one, count or not, and hold several passkeys. */
    addSoftware(options?: createSoftwarePasskey.Options): createSoftwarePasskey.ReturnType
  }
  clock: WorldClock
  /** Faults of the world; they end with the test. */
  faults: WorldFaults
}

/**
 * Vitest's `test` with a Latchkey world a worker, for tests without a browser. Give `hookTimeout` and `testTimeout` of the
 * configuration a minute: the first world of a machine takes some seconds.
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
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const world = await startTestWorld({ example: false })
      await use(world)
      await world.close()
    },
    { scope: 'worker' },
  ],
  inbox: async ({ world }, use) => use(createInbox(world)),
  wallet: async ({ world }, use) =>
    use({
      as: (name, options) => createScriptWallet(world, name, options),
      signIn: (options) => signInScript(world, options),
    }),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
  passkey: async ({}, use) => use({ addSoftware: createSoftwarePasskey }),
  clock: async ({ world }, use) => use(world.clock),
  faults: async ({ world }, use) => {
    await use(world.faults)
    await world.faults.clear()
  },
})

expect.extend(operationMatchers)

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest declares it.
  interface Assertion<T = any> extends OperationMatchers {}
}

export { expect }
