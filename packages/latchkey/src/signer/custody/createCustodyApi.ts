import { postJson } from '../../core/http/postJson.ts'
import type { Activity } from '../../wire/custody.ts'
import { custodyPaths } from '../../wire/custody.ts'
import { headers, sdkVersion } from '../../wire/headers.ts'
import { activityFailedError, responseInvalidError, toCustodyError } from '../errors.ts'
import type { Endpoints } from '../types.ts'
import { getActivityBody } from './bodies.ts'
import type { Stamper } from './createCustodyClient.ts'

export type CustodyApi = {
  /** Reads with one stamped request. */
  query(path: string, body: string, stamp: Stamper): Promise<unknown>
  /** Starts an activity and waits for its end. Answers the member `resultKey` of its result. */
  submit(request: { path: string; body: string; resultKey: string }, stamp: Stamper): Promise<unknown>
}

export declare namespace createCustodyApi {
  type Parameters = { endpoints: Endpoints }
  type ReturnType = CustodyApi
}

const pollMs = 500
/** Half a minute; a passkey is prompted for at each. */
const mostPolls = 60
const running = new Set<string>(['ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_PENDING'])

/**
 * The key-custody service, called by the page with stamps of the person. Refusals read `Turnkey error {code}:
 * {message}`; an activity that ends otherwise than completed fails with `ACTIVITY_FAILED`.
 */
export function createCustodyApi({ endpoints }: createCustodyApi.Parameters): createCustodyApi.ReturnType {
  const query = async (path: string, body: string, stamp: Stamper): Promise<unknown> => {
    const [{ custodyUrl }, header] = await Promise.all([endpoints.getConfig(), stamp(body)])
    try {
      return await postJson({
        url: `${custodyUrl.replace(/\/+$/, '')}${path}`,
        body,
        headers: {
          [header.stampHeaderName]: header.stampHeaderValue,
          [headers.clientVersion]: `latchkey@${sdkVersion}`,
        },
      })
    } catch (error) {
      throw toCustodyError(error)
    }
  }

  return {
    query,
    async submit({ path, body, resultKey }, stamp) {
      let activity = readActivity(await query(path, body, stamp))
      for (let polls = 0; running.has(activity.status); polls++) {
        if (polls === mostPolls) break
        await new Promise((resolve) => setTimeout(resolve, pollMs))
        const again = getActivityBody({ activityId: activity.id, organizationId: activity.organizationId })
        activity = readActivity(await query(custodyPaths.getActivity, again, stamp))
      }
      if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw activityFailedError(activity.id, activity.status)
      return activity.result[resultKey]
    },
  }
}

function readActivity(answer: unknown): Pick<Activity, 'id' | 'organizationId' | 'status' | 'result'> {
  const activity = (answer as { activity?: Partial<Activity> } | null)?.activity
  const { id, organizationId, status, result } = activity ?? {}
  const isRead = [id, organizationId, status].every((value) => typeof value === 'string')
  if (!isRead || typeof result !== 'object' || result === null) throw responseInvalidError('an activity')
  return activity as Activity
}
