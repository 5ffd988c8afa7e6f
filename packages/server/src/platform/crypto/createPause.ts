import { setTimeout } from 'node:timers/promises'

/** Milliseconds that one request computes before it yields to others. */
const sliceMs = 1
/** Milliseconds to yield. A request that needs several turns of the event loop is thus delayed by at most one slice. */
const pauseMs = 3

/**
 * Returns a function to await often in long computations: it yields to other requests once the current slice is used
 * up.
 */
export function createPause(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < sliceMs) return
    await setTimeout(pauseMs)
    began = performance.now()
  }
}
