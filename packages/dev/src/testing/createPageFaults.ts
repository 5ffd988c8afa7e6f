import type { BrowserContext } from 'playwright-core'
import type { createDevnetFaults, FaultName } from '../devnet/createDevnetFaults.ts'
import type { Devnet } from '../devnet/devnet.ts'

/** Faults, including those of a browser: emptied storage and blocked popups. */
export type PageFaultName = FaultName | 'storage-purged' | 'popup-blocked'

export type PageFaults = {
  /** Starts a fault of the devnet (`devnet.faults`) or this browser; resolves with a function that ends it. */
  begin(name: PageFaultName, options?: createDevnetFaults.Options): Promise<() => Promise<void>>
  clear(): Promise<void>
}

/**
 * Returns the faults of a devnet and of one browser context's pages.
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

/** Clears all sites' storage, like browsers do after a week without a visit. Pages keep data in memory. */
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
