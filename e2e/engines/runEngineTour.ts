import { startTestDevnet } from 'latchkey-dev/testing'
import { timedSteps } from '../timedSteps.ts'
import { legs, runLeg } from './legs.ts'

/**
 * Runs the journeys on all legs of an engine for `npm run tour -- --engine NAME`. Prints one line, or with `json` one
 * object, per step and leg. Resolves to the exit code.
 */
export async function runEngineTour({ name, json }: { name: keyof typeof legs; json: boolean }): Promise<number> {
  let code = 0
  for (const leg of legs[name]) {
    const say = (content: object, text: string) =>
      console.log(json ? JSON.stringify({ leg: leg.name, ...content }) : text)
    const { steps, timed } = timedSteps((step) =>
      say(step, `  ${step.step.padEnd(44)} ${String(step.ms).padStart(6)} ms`),
    )
    const devnet = await startTestDevnet({ hosts: leg.hosts })
    try {
      await runLeg(leg, { devnet, timed, announce: (engine) => say({ engine }, `\n${engine}: ${leg.name}`) })
      say({ ok: true, steps }, '  done')
    } catch (error) {
      code = 1
      const message = error instanceof Error ? error.message : String(error)
      say({ ok: false, error: message, steps }, `  broke after "${steps.at(-1)?.step ?? 'nothing'}": ${message}`)
    } finally {
      await devnet.close()
    }
  }
  return code
}
