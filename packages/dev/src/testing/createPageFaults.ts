import type { BrowserContext } from 'playwright-core'
import type { createDevnetFaults, FaultName } from '../devnet/createDevnetFaults.ts'
import type { Devnet } from '../devnet/devnet.ts'

/** Faults of the devnet and of the browser: cleared storage and blocked popups. */
export type PageFaultName = FaultName | 'storage-purged' | 'popup-blocked'

export type PageFaults = {
  /** Starts a fault of the devnet (`devnet.faults`) or of this browser. Resolves to a function that ends the fault. */
  begin(name: PageFaultName, options?: createDevnetFaults.Options): Promise<() => Promise<void>>
  clear(): Promise<void>
}

/**
 * Creates the faults of a devnet and of the pages in one browser context.
 *
 * @example
 * ```ts
 * import { createPageFaults, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const context = await (await launchBrowser()).newContext()
 * const end = await createPageFaults(devnet, context).begin('popup-blocked')
 * await end()
 * ```
 */
export function createPageFaults(devnet: Pick<Devnet, 'faults'>, context: BrowserContext): PageFaults {
  let ending: (() => Promise<void>)[] = []
  return {
    async begin(name, options) {
      const end =
        name === 'storage-purged'
          ? await purgeStorage(context)
          : name === 'popup-blocked'
            ? await blockPopups(context)
            : await devnet.faults.begin(name, options)
      ending.push(end)
      return end
    },
    async clear() {
      const list = ending
      ending = []
      await Promise.all(list.map((end) => end()))
    },
  }
}

/**
 * Clears the storage of all sites, like a browser after a week without a visit. Open pages keep their data in memory.
 */
async function purgeStorage(context: BrowserContext): Promise<() => Promise<void>> {
  const { origins } = await context.storageState({ indexedDB: true })
  await context.setStorageState({ cookies: [], origins: origins.map(({ origin }) => ({ origin, localStorage: [] })) })
  return async () => undefined
}

async function blockPopups(context: BrowserContext): Promise<() => Promise<void>> {
  const script = 'globalThis.latchkeyOpen ??= globalThis.open; globalThis.open = () => null'
  const added = await context.addInitScript({ content: script })
  await Promise.all(context.pages().map((page) => page.evaluate(script)))
  return async () => {
    await added.dispose()
    const undo = 'if (globalThis.latchkeyOpen) globalThis.open = globalThis.latchkeyOpen'
    await Promise.all(context.pages().map((page) => page.evaluate(undo)))
  }
}
