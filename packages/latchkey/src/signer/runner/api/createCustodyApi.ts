import {
  type Activity,
  type ActivityRequest,
  activityTypes,
  custodyPaths,
  type GetActivityRequest,
  headers,
  productVersion,
  type Stamp,
} from 'latchkey-protocol'
import { createChunk } from '../../../core/createChunk.ts'
import { postJson } from '../../../core/http/requestJson.ts'
import { ActivityFailedError, ResponseInvalidError } from '../../errors/custodyErrors.ts'
import { toCustodyError } from '../../errors/explain.ts'
import type { Endpoints } from '../../types.ts'
import type { Clock } from './createClock.ts'
import type { Confirmations } from './createPending.ts'
import { withQueryBody } from './queryBody.ts'
import { wait } from './wait.ts'
import type { ReadActivity } from './waitForConfirmation.ts'

/** Signs the exact text of a request body with the user's credential. */
export type Stamper = (body: string) => Promise<Stamp>

/** Request body and its stamp. */
export type StampedBody = { body: string; stamp: Stamp }

export type CustodyApi = {
  query(path: string, parameters: object, stamp: Stamper, signal?: AbortSignal): Promise<unknown>
  /**
   * Submits an activity and polls until it is finished. Returns the member `resultKey` of the result. `stamp` is null
   * only if the parameters themselves prove the sender.
   */
  submit(call: ActivityCall, stamp: Stamper | null, signal?: AbortSignal): Promise<unknown>
  /** Polls an activity that another service has submitted. Resolves to the same result as `submit`. */
  finish(activity: unknown, sent: SentCall, stamp: Stamper, signal?: AbortSignal): Promise<unknown>
}

/** Activity to submit. The body is created once the time is known, because the stamp covers its exact text. */
export type ActivityCall = {
  path: string
  body: (timestampMs: number) => string
  /** Member of the activity's result to return. */
  resultKey: string
}

/** Submitted activity: the exact text and its stamp. */
export type SentCall = { path: string; text: string; stamped: Promise<Stamp> | undefined; resultKey: string }

export declare namespace createCustodyApi {
  type Parameters = { endpoints: Endpoints; clock: Clock; confirmations: Pick<Confirmations, 'begin'> }
  type ReturnType = CustodyApi
}

/** Loaded on demand, because most activities need no e-mail confirmation. */
const waitChunk = /* @__PURE__ */ createChunk({ name: 'wait', import: () => import('./waitForConfirmation.ts') })

const pollMs = 500
/** Polls for half a minute. The limit is low, because each poll may prompt for a passkey. */
const maxPolls = 60
const running = new Set<string>(['ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_PENDING'])

/**
 * Creates the client of the key-custody service, which sends requests with the user's stamps. Rejects if an activity
 * fails, does not complete, or waits for other authenticators. Errors have the message `Turnkey error {code}:
 * {message}`.
 *
 * @throws `ACTIVITY_FAILED`, `RESPONSE_INVALID`, `REQUEST_NOT_AUTHORIZED`, `HTTP_FAILED`.
 */
export function createCustodyApi(parameters: createCustodyApi.Parameters): createCustodyApi.ReturnType {
  const { endpoints, clock, confirmations } = parameters
  const post = async (path: string, body: string, stamp: Promise<Stamp> | undefined, signal?: AbortSignal) => {
    const [{ custodyUrl }, header] = await Promise.all([endpoints.getConfig(), stamp])
    try {
      return await postJson({
        url: `${custodyUrl.replace(/\/+$/, '')}${path}`,
        body,
        headers: {
          ...(header && { [header.stampHeaderName]: header.stampHeaderValue }),
          [headers.clientVersion]: `latchkey@${productVersion}`,
        },
        signal,
      })
    } catch (error) {
      throw toCustodyError(error)
    }
  }
  const send = (path: string, body: string, stamp: Stamper | null, signal?: AbortSignal): Promise<unknown> =>
    post(path, body, stamp?.(body), signal)

  const query: CustodyApi['query'] = (path, parameters, stamp, signal) =>
    withQueryBody({ endpoints, clock }, path, parameters, (body) => send(path, body, stamp, signal))

  const finish = async (first: ReadActivity, sent: SentCall, stamp: Stamper | null, signal?: AbortSignal) => {
    let activity = first
    if (first.confirmation) {
      const { waitForConfirmation } = await waitChunk.load()
      const sendTo = async (path: string) => readActivity(await post(path, sent.text, sent.stamped, signal))
      activity = await waitForConfirmation(first, { path: sent.path, sendTo, signal, confirmations })
    }
    for (let polls = 0; running.has(activity.status) && polls < maxPolls; polls++) {
      await wait(pollMs, signal)
      const { id: activityId, organizationId } = activity
      const request: GetActivityRequest = { activityId, organizationId }
      if (!stamp) break
      activity = readActivity(await query(custodyPaths.getActivity, request, stamp, signal))
    }
    if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw new ActivityFailedError(activity)
    return activity.result[sent.resultKey]
  }

  return {
    query,
    async submit({ path, body, resultKey }, stamp, signal) {
      const { activity, sent } = await clock.withTime(async (timestampMs) => {
        const text = body(timestampMs)
        const sent = { path, text, stamped: stamp?.(text), resultKey }
        return { activity: readActivity(await post(path, text, sent.stamped, signal)), sent }
      })
      return finish(activity, sent, stamp, signal)
    },
    finish: async (activity, sent, stamp, signal) => finish(readActivity({ activity }), sent, stamp, signal),
  }
}

function readActivity(response: unknown): ReadActivity {
  const activity = (response as { activity?: Partial<Activity> } | null)?.activity
  const { id, organizationId, status, result } = activity ?? {}
  const isRead = [id, organizationId, status].every((value) => typeof value === 'string')
  if (!isRead || typeof result !== 'object' || result === null) throw new ResponseInvalidError('an activity')
  return activity as Activity
}

/** Creates the body of an activity in the documented member order, because the stamp covers the exact text. */
export function activity<parameters>(
  name: keyof typeof activityTypes,
  organizationId: string,
  parameters: parameters | ((timestampMs: number) => parameters),
): ActivityCall {
  const read = typeof parameters === 'function' ? (parameters as (ms: number) => parameters) : () => parameters
  return {
    path: custodyPaths[name],
    resultKey: `${name}Result`,
    body: (timestampMs) =>
      JSON.stringify({
        organizationId,
        type: activityTypes[name],
        timestampMs: String(timestampMs),
        parameters: read(timestampMs),
      } satisfies ActivityRequest<parameters>),
  }
}
