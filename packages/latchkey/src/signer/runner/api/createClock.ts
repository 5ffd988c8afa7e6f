import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'

/** Clock for activity timestamps. The service refuses timestamps that differ too much from its own time. */
export type Clock = {
  /** Runs an action with the current time. If the service refuses this time, retries once with the service's time. */
  withTime<result>(action: (timestampMs: number) => Promise<result>): Promise<result>
}

/** Returns this device's clock. When a service refuses its time, the clock adopts the service's time (HTTP `Date`). */
export function createClock(now: () => number = () => Date.now()): Clock {
  let aheadMs = 0
  return {
    async withTime(action) {
      try {
        return await action(now() - aheadMs)
      } catch (error) {
        const serverTimeMs = refusedTime(error)
        if (serverTimeMs === undefined) throw error
        aheadMs = now() - serverTimeMs
        return action(now() - aheadMs)
      }
    },
  }
}

/** Returns the service's time if the service refused the request's timestamp. */
function refusedTime(error: unknown): number | undefined {
  const refusal = error instanceof CustodyError ? error.cause : error
  if (!(refusal instanceof HttpError) || !/timestampMs/.test(refusal.responseText)) return undefined
  return refusal.serverTimeMs
}
