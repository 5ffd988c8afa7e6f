import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'

/** The time that goes into activities: the service refuses one that is far from its own. */
export type Clock = {
  /** Does something with the time. When that is refused for the time, once more with the service's. */
  withTime<result>(action: (timestampMs: number) => Promise<result>): Promise<result>
}

/** This device's clock, until a service says that it is wrong and what time it is there (HTTP `Date`). */
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

/** The service's time when a request was refused because of ours. */
function refusedTime(error: unknown): number | undefined {
  const refusal = error instanceof CustodyError ? error.cause : error
  if (!(refusal instanceof HttpError) || !/timestampMs/.test(refusal.responseText)) return undefined
  return refusal.serverTimeMs
}
