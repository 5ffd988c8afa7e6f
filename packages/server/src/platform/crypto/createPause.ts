import { setTimeout } from 'node:timers/promises'

/** How long one request computes before others go on. */
const sliceMs = 1
/** How long others go on: a request passes the event loop several times, and must not meet a slice each time. */
const pauseMs = 3

/** A pause for other requests, to be awaited often: it lasts no time while the current slice is not used up. */
export function createPause(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < sliceMs) return
    await setTimeout(pauseMs)
    began = performance.now()
  }
}
