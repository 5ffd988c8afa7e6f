import { crossSiteHosts, sameSiteHosts, startTestWorld } from 'latchkey-dev/testing'
import { timedSteps } from '../timedSteps.ts'
import { runJourney } from './journey.ts'
import { launchFirefox } from './launchFirefox.ts'
import { launchWebKit } from './launchWebKit.ts'
import type { Engine } from './tab.ts'

type Leg = {
  name: string
  launch: () => Promise<Engine>
  hosts: Parameters<typeof startTestWorld>[0] & object
  storage: 'kept' | 'none'
}

const sameSite = { hosts: sameSiteHosts }
const crossSite = { hosts: crossSiteHosts }

/** What each engine is tried with: sites of page and frames, and its rules of storage. */
export const legs: Record<'firefox' | 'webkit', readonly Leg[]> = {
  firefox: [
    { name: 'one site', launch: () => launchFirefox(5), hosts: sameSite, storage: 'kept' },
    { name: 'two sites, partitioned', launch: () => launchFirefox(5), hosts: crossSite, storage: 'kept' },
    { name: 'two sites, refused', launch: () => launchFirefox(1), hosts: crossSite, storage: 'none' },
  ],
  webkit: [
    { name: 'one site', launch: launchWebKit, hosts: sameSite, storage: 'kept' },
    { name: 'two sites, partitioned', launch: launchWebKit, hosts: crossSite, storage: 'kept' },
  ],
}

/**
 * `npm run tour -- --engine NAME`: the journey of `runJourney` on every leg of an engine. Prints a line a step, or with `json`
 * an object, and one at the end of each leg. Resolves to the exit code.
 */
export async function runEngineTour({ name, json }: { name: keyof typeof legs; json: boolean }): Promise<number> {
  let code = 0
  for (const leg of legs[name]) {
    const say = (content: object, text: string) =>
      console.log(json ? JSON.stringify({ leg: leg.name, ...content }) : text)
    const { steps, timed } = timedSteps((step) =>
      say(step, `  ${step.step.padEnd(44)} ${String(step.ms).padStart(6)} ms`),
    )
    try {
      await runLeg(leg, timed, (engine) => say({ engine }, `\n${engine}: ${leg.name}`))
      say({ ok: true, steps }, '  done')
    } catch (error) {
      code = 1
      const message = error instanceof Error ? error.message : String(error)
      say({ ok: false, error: message, steps }, `  broke after "${steps.at(-1)?.step ?? 'nothing'}": ${message}`)
    }
  }
  return code
}

async function runLeg(leg: Leg, timed: Parameters<typeof runJourney>[0]['timed'], announce: (engine: string) => void) {
  const world = await startTestWorld(leg.hosts)
  try {
    const engine = await leg.launch()
    announce(engine.name)
    await runJourney({ world, engine, storage: leg.storage, timed }).finally(() => engine.close())
  } finally {
    await world.close()
  }
}
