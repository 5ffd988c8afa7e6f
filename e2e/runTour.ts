import { crossSiteHosts, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
import { runFullJob } from './fullJob.ts'
import { launchProfile } from './launchProfile.ts'
import { runMainJob } from './mainJob.ts'
import type { Step } from './timedSteps.ts'

/**
 * Runs the main job, or with `full` the full job, in its own devnet for `npm run tour`. `crossSite` puts the frames on
 * another site and runs with partitioned and with blocked storage. Prints the steps as a table, or with `json` as one
 * object per step and a summary at the end. Resolves to the exit code.
 */
export async function runTour({
  json,
  full = false,
  crossSite = false,
}: {
  json: boolean
  full?: boolean
  crossSite?: boolean
}): Promise<number> {
  const steps: Step[] = []
  const onStep = (step: Step): void => {
    steps.push(step)
    console.log(json ? JSON.stringify(step) : row(step))
  }
  const began = performance.now()
  try {
    const devnet = await startTestDevnet({ hosts: crossSite ? crossSiteHosts : undefined })
    try {
      onStep({ step: 'start the devnet', ms: Math.round(performance.now() - began) })
      if (crossSite) {
        const profiles = await launchProfile()
        const inProfile = (step: Step): void => onStep({ ...step, step: `partitioned: ${step.step}` })
        await runMainJob({ devnet, browser: profiles, onStep: inProfile }).finally(() => profiles.close())
      }
      const browser = await launchBrowser()
      try {
        const job = full ? runFullJob : runMainJob
        const storage = crossSite ? 'none' : 'kept'
        const { address, userOpHash, txHash, block } = await job({ devnet, browser, onStep, storage })
        if (json) console.log(JSON.stringify({ ok: true, address, userOpHash, txHash, steps }))
        else {
          console.log(`\n  user operation  ${userOpHash}\n  transaction     ${txHash}`)
          console.log(`  block           ${block}\n  account         ${address}`)
          console.log(
            `\nThe ${full ? 'whole tour' : 'main job'} took ${steps.slice(1).reduce((sum, { ms }) => sum + ms, 0)} ms.`,
          )
        }
      } finally {
        await browser.close()
      }
    } finally {
      await devnet.close()
    }
    return 0
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (json) console.log(JSON.stringify({ ok: false, error: message, steps }))
    else console.error(`\nThe tour broke after "${steps.at(-1)?.step ?? 'nothing'}".\n${message}`)
    return 1
  }
}

function row({ step, ms }: Step): string {
  return `  ${step.padEnd(44)} ${String(ms).padStart(6)} ms`
}
