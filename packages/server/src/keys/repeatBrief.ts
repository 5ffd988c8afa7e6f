import { setTimeout } from 'node:timers/promises'
import type { ServerError } from '../platform/errors/ServerError.ts'

/** Outcome of an attempt. `isBrief`: the same request may succeed shortly. */
export type Try<value> = { value: value } | { refused: ServerError; isBrief: boolean }

const maxTries = 4

/** Repeats an idempotent request to a key service after brief refusals, at most four times within a time limit. */
export async function repeatBrief<value>(
  timeoutMs: number,
  attempt: (leftMs: number) => Promise<Try<value>>,
): Promise<value> {
  const end = performance.now() + timeoutMs
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(Math.max(1, Math.ceil(end - performance.now())))
    if ('value' in outcome) return outcome.value
    // Random pauses prevent replicas from retrying at the same time.
    const pauseMs = 50 * 2 ** tries * (0.5 + Math.random() / 2)
    if (!outcome.isBrief || tries >= maxTries || performance.now() + pauseMs >= end) throw outcome.refused
    await setTimeout(pauseMs)
  }
}
