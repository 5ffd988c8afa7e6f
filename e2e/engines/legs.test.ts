import type { Devnet } from 'latchkey-dev'
import { startTestDevnet } from 'latchkey-dev/testing'
import { afterAll, expect, test } from 'vitest'
import { timedSteps } from '../timedSteps.ts'
import { type Leg, legs, runLeg } from './legs.ts'
import { DriverLost } from './tab.ts'

// Runs every engine on one site and on two sites, with each of its storage policies: `npm run test:engines`.

const all = Object.entries(legs)
  .flatMap(([engine, own]) => own.map((leg) => [`${engine}, ${leg.name}`, leg] as const))
  // Other e2e tests cover this case.
  .filter(([name]) => name !== 'chromium, one site')
/**
 * Maximum number of attempts, because WebKit's driver sometimes loses a command. Unexpected behavior of a page is never
 * retried.
 */
const maxTries = 4

const devnets = new Map<Leg['hosts'], Promise<Devnet>>()
function getDevnet(hosts: Leg['hosts']): Promise<Devnet> {
  const devnet = devnets.get(hosts) ?? startTestDevnet({ hosts })
  devnets.set(hosts, devnet)
  return devnet
}
afterAll(() => Promise.all([...devnets.values()].map(async (devnet) => (await devnet).close())))

test.each(all)('runs the journeys in %s', async (_name, leg) => {
  for (let tries = 1; ; tries++) {
    const { steps, timed } = timedSteps()
    try {
      await runLeg(leg, {
        devnet: await getDevnet(leg.hosts),
        timed,
        announce: (engine) => console.info(`${engine}: ${leg.name}`),
      })
    } catch (error) {
      if (!(error instanceof DriverLost) || tries === maxTries) throw error
      console.info(`The driver was lost after ${steps.at(-1)?.step ?? 'the start'}: ${error.message}`)
      continue
    } finally {
      console.info(steps.map(({ step, ms }) => `${step} ${ms}`).join(', '))
    }
    expect(steps.length).toBeGreaterThanOrEqual(10)
    return
  }
})
