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
  /** Whether to run the passkey journey. Passkeys need no frame, so one leg per engine is sufficient. */
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
  /** Runs a journey in a new browser without stored sessions. */
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
