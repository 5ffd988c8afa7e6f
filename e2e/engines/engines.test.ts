import type { World } from 'latchkey-dev'
import { createSoftwarePasskey, sameSiteHosts, startTestWorld } from 'latchkey-dev/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timedSteps } from '../timedSteps.ts'
import { runJourney, runPasskeyJourney } from './journey.ts'
import { launchFirefox } from './launchFirefox.ts'

// Debian's Firefox on one site. Other engines and rules of storage: `npm run test:engines`.

let world: World
beforeAll(async () => {
  world = await startTestWorld({ hosts: sameSiteHosts })
})
afterAll(() => world?.close())

test('default: all that needs no passkey, in Firefox', async () => {
  const engine = await launchFirefox(5)
  const { steps, timed } = timedSteps()
  try {
    await runJourney({ world, engine, storage: 'kept', timed })
  } finally {
    await engine.close()
    console.info(`${engine.name}: ${steps.map(({ step, ms }) => `${step} ${ms}`).join(', ')}`)
  }
  expect(steps.at(-1)?.step).toBe('sign in by a code')
})

test('behavior: passkeys in Firefox, by a device in software', async () => {
  const engine = await launchFirefox(5)
  const { steps, timed } = timedSteps()
  try {
    const passkey = createSoftwarePasskey()
    await runPasskeyJourney({ world, tab: await engine.openTab(passkey), passkey, timed })
  } finally {
    await engine.close()
    console.info(`${engine.name}: ${steps.map(({ step, ms }) => `${step} ${ms}`).join(', ')}`)
  }
  expect(steps.at(-1)?.step).toBe('sign in by the passkey')
})
