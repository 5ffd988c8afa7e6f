import type { World } from 'latchkey-dev'
import { createSoftwarePasskey, crossSiteHosts, sameSiteHosts, type startTestWorld } from 'latchkey-dev/testing'
import type { Timed } from '../timedSteps.ts'
import { runJourney, runPasskeyJourney } from './journey.ts'
import { launchChromium } from './launchChromium.ts'
import { launchFirefox } from './launchFirefox.ts'
import { launchWebKit } from './launchWebKit.ts'
import type { Engine } from './tab.ts'

/** A site of the page, one of the frames, and a browser with its rule of storage. */
export type Leg = {
  name: string
  launch: () => Promise<Engine>
  hosts: NonNullable<startTestWorld.Options['hosts']>
  storage: 'kept' | 'none'
  /** The engine has passkeys. @default true */
  hasPasskeys?: boolean
}

const [oneSite, twoSites] = [{ hosts: sameSiteHosts }, { hosts: crossSiteHosts }]
const [kept, none] = [{ storage: 'kept' }, { storage: 'none' }] as const

/** What each engine is tried with: sites of page and frames, and its rules of storage. */
export const legs: Record<'chromium' | 'firefox' | 'webkit', readonly Leg[]> = {
  chromium: [
    { name: 'one site', launch: () => launchChromium('ordinary'), ...oneSite, ...kept },
    { name: 'two sites, partitioned', launch: () => launchChromium('ordinary'), ...twoSites, ...kept },
    { name: 'two sites, refused', launch: () => launchChromium('private'), ...twoSites, ...none },
  ],
  firefox: [
    { name: 'one site', launch: () => launchFirefox(5), ...oneSite, ...kept },
    { name: 'two sites, partitioned', launch: () => launchFirefox(5), ...twoSites, ...kept },
    { name: 'two sites, refused', launch: () => launchFirefox(1), ...twoSites, ...none },
  ],
  webkit: [
    { name: 'one site', launch: launchWebKit, ...oneSite, ...kept, hasPasskeys: false },
    { name: 'two sites, partitioned', launch: launchWebKit, ...twoSites, ...kept, hasPasskeys: false },
  ],
}

/** Every journey of one leg, in a world with its hosts. `announce` gets the engine's name. */
export async function runLeg(
  { launch, storage, hasPasskeys = true }: Leg,
  { world, timed, announce }: { world: World; timed: Timed; announce: (engine: string) => void },
): Promise<void> {
  /** A browser of its own: no session of before is in it. */
  async function inBrowser(work: (engine: Engine) => Promise<void>): Promise<void> {
    const engine = await launch()
    try {
      await work(engine)
    } finally {
      await engine.close()
    }
  }
  await inBrowser((engine) => {
    announce(engine.name)
    return runJourney({ world, engine, storage, timed })
  })
  if (!hasPasskeys) return
  const passkey = createSoftwarePasskey()
  await inBrowser(async (engine) => runPasskeyJourney({ world, tab: await engine.openTab(passkey), passkey, timed }))
}
