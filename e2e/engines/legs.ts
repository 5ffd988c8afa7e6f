import type { Devnet } from 'latchkey-dev'
import { createSoftwarePasskey, crossSiteHosts, sameSiteHosts, type startTestDevnet } from 'latchkey-dev/testing'
import type { Timed } from '../timedSteps.ts'
import { runJourney, runPasskeyJourney } from './journey.ts'
import { launchChromium } from './launchChromium.ts'
import { launchFirefox } from './launchFirefox.ts'
import { launchWebKit } from './launchWebKit.ts'
import type { Engine } from './tab.ts'

export type Leg = {
  name: string
  launch: () => Promise<Engine>
  hosts: NonNullable<startTestDevnet.Options['hosts']>
  storage: 'kept' | 'none'
  /** Passkeys need no frame, so only one leg of each engine that supports them runs the passkey journey. */
  hasPasskeys?: boolean
}

const [oneSite, twoSites] = [{ hosts: sameSiteHosts }, { hosts: crossSiteHosts }]
const [kept, none] = [{ storage: 'kept' }, { storage: 'none' }] as const

export const legs: Record<'chromium' | 'firefox' | 'webkit', readonly Leg[]> = {
  chromium: [
    { name: 'one site', launch: () => launchChromium('ordinary'), ...oneSite, ...kept },
    { name: 'two sites, partitioned', launch: () => launchChromium('ordinary'), ...twoSites, ...kept },
    { name: 'two sites, refused', launch: () => launchChromium('private'), ...twoSites, ...none, hasPasskeys: true },
  ],
  firefox: [
    { name: 'one site', launch: () => launchFirefox(5), ...oneSite, ...kept },
    { name: 'two sites, partitioned', launch: () => launchFirefox(5), ...twoSites, ...kept },
    { name: 'two sites, refused', launch: () => launchFirefox(1), ...twoSites, ...none, hasPasskeys: true },
  ],
  webkit: [
    { name: 'one site', launch: launchWebKit, ...oneSite, ...kept },
    { name: 'two sites, partitioned', launch: launchWebKit, ...twoSites, ...kept },
  ],
}

export async function runLeg(
  { launch, storage, hasPasskeys = false }: Leg,
  { devnet, timed, announce }: { devnet: Devnet; timed: Timed; announce: (engine: string) => void },
): Promise<void> {
  /** Each journey gets a new browser without stored sessions. */
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
    return runJourney({ devnet, engine, storage, timed })
  })
  if (!hasPasskeys) return
  const passkey = createSoftwarePasskey()
  await inBrowser(async (engine) => runPasskeyJourney({ devnet, tab: await engine.openTab(passkey), passkey, timed }))
}
