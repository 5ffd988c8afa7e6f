import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'

/** Clock for activity timestamps: the service refuses a timestamp that differs too much from its own time. */
export type Clock = {
  /** Runs an action with the time. If the time is refused, retries once with the service's time. */
  withTime<result>(action: (timestampMs: number) => Promise<result>): Promise<result>
}

/** Returns this device's clock, corrected once a service rejects it and reports its own time (HTTP `Date`). */
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

/** Returns the service's time if it refused a request because of this device's time. */
function refusedTime(error: unknown): number | undefined {
  const refusal = error instanceof CustodyError ? error.cause : error
  if (!(refusal instanceof HttpError) || !/timestampMs/.test(refusal.responseText)) return undefined
  return refusal.serverTimeMs
}
