import { BaseError } from '../../core/errors/BaseError.ts'
import { postJson } from '../../core/http/requestJson.ts'
import { pause } from '../../core/pause.ts'
import { confirmationText } from '../../wire/confirmations.ts'
import {
  type Activity,
  type ActivityRequest,
  activityTypes,
  custodyPaths,
  type GetActivityRequest,
  type Stamp,
} from '../../wire/custody.ts'
import { headers, sdkVersion } from '../../wire/headers.ts'
import { AbortedError } from '../errors/authErrors.ts'
import { ActivityFailedError, ResponseInvalidError } from '../errors/custodyErrors.ts'
import { toCustodyError } from '../errors/explain.ts'
import type { Endpoints } from '../types.ts'
import type { Clock } from './createClock.ts'
import type { Confirmations } from './createPending.ts'
import { withQueryBody } from './queryBody.ts'

/** Signs the exact text of a body with the credential of the person who signs in or is signed in. */
export type Stamper = (body: string) => Promise<Stamp>

/** A body with the stamp over it. */
export type StampedBody = { body: string; stamp: Stamp }

export type CustodyApi = {
  /** Reads with one stamped request. */
  query(path: string, parameters: object, stamp: Stamper, signal?: AbortSignal): Promise<unknown>
  /**
   * Starts an activity and waits for its end. Returns the member `resultKey` of its result. Without a stamp only where
   * the parameters prove who sends it.
   */
  submit(call: ActivityCall, stamp: Stamper | null, signal?: AbortSignal): Promise<unknown>
}

/** An activity to submit. Its stamp covers the exact text of the body, which is made when the time is known. */
export type ActivityCall = {
  path: string
  body: (timestampMs: number) => string
  /** Member of the activity's result that holds what the activity made. */
  resultKey: string
}

export declare namespace createCustodyApi {
  type Parameters = { endpoints: Endpoints; clock: Clock; confirmations: Pick<Confirmations, 'begin'> }
  type ReturnType = CustodyApi
}

const pollMs = 500
/** Half a minute; a passkey is prompted for at each. */
const maxPolls = 60
const running = new Set<string>(['ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_PENDING'])
/** Between two looks at an activity that waits for a person, and how long the page waits at most. */
const confirmationPollMs = 1_000
const maxConfirmationMs = 3_600_000
const mayPass = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT'])

/**
 * The key-custody service, called by the page with stamps of the person. Refusals read `Turnkey error {code}:
 * {message}`; an activity that ends otherwise than completed, or that waits for more authenticators, is a failure.
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
          [headers.clientVersion]: `latchkey@${sdkVersion}`,
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

  return {
    query,
    async submit({ path, body, resultKey }, stamp, signal) {
      const { activity: first, again } = await clock.withTime(async (timestampMs) => {
        const text = body(timestampMs)
        const stamped = stamp?.(text)
        const again = async () => readActivity(await post(path, text, stamped, signal))
        return { activity: await again(), again }
      })
      let activity = await waitForPerson(first, { again, signal, confirmations })
      for (let polls = 0; running.has(activity.status) && polls < maxPolls; polls++) {
        await wait(pollMs, signal)
        const { id: activityId, organizationId } = activity
        const request: GetActivityRequest = { activityId, organizationId }
        if (!stamp) break
        activity = readActivity(await query(custodyPaths.getActivity, request, stamp, signal))
      }
      if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') throw new ActivityFailedError(activity)
      return activity.result[resultKey]
    },
  }
}

/**
 * Waits while an activity is to be confirmed outside the page. The same request with the same stamp names the activity,
 * so a passkey is not prompted for again. A phone that shows the mail may be without a connection meanwhile.
 */
async function waitForPerson(first: ReadActivity, waiting: Waiting): Promise<ReadActivity> {
  if (!first.confirmation) return first
  let isCancelled = false
  const end = waiting.confirmations.begin({
    text: confirmationText,
    expiresAtMs: Number(first.confirmation.expiresAtMs),
    cancel() {
      isCancelled = true
      end()
    },
  })
  let activity = first
  try {
    for (let waitedMs = 0; activity.confirmation && waitedMs < maxConfirmationMs; waitedMs += confirmationPollMs) {
      await wait(confirmationPollMs, waiting.signal)
      if (isCancelled) throw cancelled()
      activity = await waiting.again().catch((error: unknown) => {
        if (error instanceof BaseError && mayPass.has(error.code)) return activity
        throw error
      })
    }
    return activity
  } finally {
    end()
  }
}

type Waiting = {
  again: () => Promise<ReadActivity>
  signal: AbortSignal | undefined
  confirmations: Pick<Confirmations, 'begin'>
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, signal)
  // That of a session says itself that it has ended.
  if (signal?.aborted) throw signal.reason instanceof BaseError ? signal.reason : cancelled()
}

function cancelled(): AbortedError {
  return new AbortedError('The wait for the confirmation was cancelled.')
}

type ReadActivity = Pick<Activity, 'id' | 'organizationId' | 'status' | 'result' | 'failure' | 'confirmation'>

function readActivity(response: unknown): ReadActivity {
  const activity = (response as { activity?: Partial<Activity> } | null)?.activity
  const { id, organizationId, status, result } = activity ?? {}
  const isRead = [id, organizationId, status].every((value) => typeof value === 'string')
  if (!isRead || typeof result !== 'object' || result === null) throw new ResponseInvalidError('an activity')
  return activity as Activity
}

/** A call that changes something, in the member order of the documented wire, which the stamp covers. */
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
