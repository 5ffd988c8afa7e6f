import { postJson } from '../../core/http/requestJson.ts'
import { type Activity, custodyPaths } from '../../wire/custody.ts'
import { headers, sdkVersion } from '../../wire/headers.ts'
import { signedOutError } from '../errors/authErrors.ts'
import { ActivityFailedError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import { toCustodyError } from '../errors/explain.ts'
import type { Endpoints } from '../types.ts'
import type { ActivityCall } from './activity.ts'
import { getActivityBody } from './bodies.ts'
import type { Clock } from './createClock.ts'
import type { Stamper } from './createCustodyClient.ts'

export type CustodyApi = {
  /** Reads with one stamped request. */
  query(path: string, body: string, stamp: Stamper, signal?: AbortSignal): Promise<unknown>
  /**
   * Starts an activity and waits for its end. Answers the member `resultKey` of its result. Without a stamp only where
   * the parameters prove who asks.
   */
  submit(call: ActivityCall, stamp: Stamper | null, signal?: AbortSignal): Promise<unknown>
}

export declare namespace createCustodyApi {
  type Parameters = { endpoints: Endpoints; clock: Clock }
  type ReturnType = CustodyApi
}

const pollMs = 500
/** Half a minute; a passkey is prompted for at each. */
const mostPolls = 60
const running = new Set<string>(['ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_PENDING'])

/**
 * The key-custody service, called by the page with stamps of the person. Refusals read `Turnkey error {code}:
 * {message}`; an activity that ends otherwise than completed, or that waits for more authenticators, fails with
 * `ACTIVITY_FAILED`.
 */
export function createCustodyApi({ endpoints, clock }: createCustodyApi.Parameters): createCustodyApi.ReturnType {
  const send = async (path: string, body: string, stamp: Stamper | null, signal?: AbortSignal): Promise<unknown> => {
    const [{ custodyUrl }, header] = await Promise.all([endpoints.getConfig(), stamp?.(body)])
    try {
      return await postJson({
        url: `${custodyUrl.replace(/\/+$/, '')}${path}`,
        body,
        headers: {
          ...(header && { [header.stampHeaderName]: header.stampHeaderValue }),
          [headers.clientVersion]: `latchkey@${sdkVersion}`,
        },
        signal,
      })
    } catch (error) {
      throw toCustodyError(error)
    }
  }

  return {
    query: send,
    async submit({ path, body, resultKey }, stamp, signal) {
      let activity = await clock.withTime(async (timestampMs) =>
        readActivity(await send(path, body(timestampMs), stamp, signal)),
      )
      for (let polls = 0; running.has(activity.status) && polls < mostPolls; polls++) {
        await new Promise((resolve) => setTimeout(resolve, pollMs))
        if (signal?.aborted) throw signedOutError()
        const again = getActivityBody({ activityId: activity.id, organizationId: activity.organizationId })
        activity = readActivity(await send(custodyPaths.getActivity, again, stamp, signal))
      }
      if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw new ActivityFailedError(activity.id, activity.status)
      return activity.result[resultKey]
    },
  }
}

function readActivity(answer: unknown): Pick<Activity, 'id' | 'organizationId' | 'status' | 'result'> {
  const activity = (answer as { activity?: Partial<Activity> } | null)?.activity
  const { id, organizationId, status, result } = activity ?? {}
  const isRead = [id, organizationId, status].every((value) => typeof value === 'string')
  if (!isRead || typeof result !== 'object' || result === null) throw new ResponseInvalidError('an activity')
  return activity as Activity
}
