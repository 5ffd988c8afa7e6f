import { createHash } from 'node:crypto'
import { type Activity, type ErrorCode, errorCodes, type Stamp, type StampedRequest } from 'latchkey-protocol'
import { z } from 'zod'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { clientAddressHeader, createClientAddressSigner } from '../platform/http/clientAddress.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import { requestIdHeader } from '../platform/http/requestId.ts'
import { metrics } from '../platform/observability/metrics.ts'
import { inSpan, traceHeaders } from '../platform/observability/tracing.ts'

export declare namespace createCustodyClient {
  type Parameters = {
    custodyUrl: string
    /** API key of a user of the parent organization, hex. */
    apiKey: createStamp.ApiKey
    timeoutMs: number
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = CustodyClient
}

export type CompletedActivity = Pick<Activity, 'id' | 'result'>

/** A serialized activity. `fingerprint` identifies it in the database (custody protocol § 2.4). */
export type SerializedActivity = { body: string; fingerprint: string }

/** Id and client IP address of the request, for custody's log and limits. */
export type Asker = { requestId: string; clientIp: string | undefined }

export type CustodyClient = {
  /** Milliseconds since the epoch. */
  now(): number
  /** Serializes an activity with the current time. */
  serialize(type: string, organizationId: string, parameters: Record<string, unknown>): SerializedActivity
  /** Starts an activity, stamped with the parent's API key. Resolves when it is completed. */
  submit(path: string, activity: SerializedActivity, asker: Asker): Promise<CompletedActivity>
  /** Queries as the parent. */
  query(path: string, parameters: { organizationId: string; [name: string]: string }, asker: Asker): Promise<unknown>
  /**
   * Starts an activity that has a code or token as proof instead of a stamp. Resolves when the activity is completed.
   */
  redeem(path: string, activity: SerializedActivity, asker: Asker): Promise<CompletedActivity>
  /** Forwards a user's stamped request byte for byte, to `path` below custody's URL. Ignores the URL in the request. */
  forward(path: string, request: Pick<StampedRequest, 'body' | 'stamp'>, asker: Asker): Promise<unknown>
}

const activityResponse = z.object({
  activity: z.looseObject({ id: z.string(), status: z.string(), result: z.record(z.string(), z.unknown()) }),
})
const errorBody = z.object({
  message: z.string(),
  details: z.array(z.looseObject({ turnkeyErrorCode: z.string().optional() })).nullish(),
})

/**
 * Returns the signer API's client of the custody API. Forwards text, status and code of custody's errors.
 *
 * @throws `TIMEOUT`, `NETWORK_UNREACHABLE`, `RESPONSE_INVALID`, `ACTIVITY_FAILED`, and any code of custody.
 */
export function createCustodyClient(parameters: createCustodyClient.Parameters): createCustodyClient.ReturnType {
  const { custodyUrl, apiKey, timeoutMs, now = Date.now } = parameters
  const signAddress = createClientAddressSigner(apiKey, now)

  function post(path: string, body: string, stamp: Stamp | undefined, asker: Asker): Promise<unknown> {
    const span = { kind: 'CLIENT', attributes: { 'latchkey.upstream': 'custody' } } as const
    return inSpan('custody', span, () => exchange(path, body, stamp, asker))
  }

  async function exchange(path: string, body: string, stamp: Stamp | undefined, asker: Asker): Promise<unknown> {
    const labels = { kind: 'custody', chain: 'none' }
    const startedAt = performance.now()
    const response = await fetchBounded(`${custodyUrl.replace(/\/+$/, '')}${path}`, {
      what: 'The key-custody service',
      timeoutMs,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [requestIdHeader]: asker.requestId,
        ...traceHeaders(),
        ...(asker.clientIp && { [clientAddressHeader]: signAddress(asker.clientIp, body) }),
        ...(stamp && { [stamp.stampHeaderName]: stamp.stampHeaderValue }),
      },
      body,
    }).catch((error: unknown) => {
      metrics.upstreamRequests.inc({ ...labels, outcome: 'failed' })
      throw error
    })
    metrics.upstreamRequests.inc({ ...labels, outcome: response.status < 500 ? 'ok' : 'failed' })
    metrics.upstreamSeconds.observe(labels, (performance.now() - startedAt) / 1000)
    const json = parse(response.body)
    if (response.status === 200) return json
    throw toError(json, response.status, response.headers['retry-after'])
  }

  return {
    now,
    serialize(type, organizationId, parameters) {
      const body = JSON.stringify({ type, timestampMs: String(now()), organizationId, parameters })
      return { body, fingerprint: `sha256:${createHash('sha256').update(body).digest('hex')}` }
    },
    submit: async (path, { body }, asker) => readActivity(await post(path, body, createStamp(body, apiKey), asker)),
    redeem: async (path, { body }, asker) => readActivity(await post(path, body, undefined, asker)),
    query(path, parameters, asker) {
      const body = JSON.stringify({ ...parameters, path, timestampMs: String(now()) })
      return post(path, body, createStamp(body, apiKey), asker)
    },
    forward: (path, { body, stamp }, asker) => post(path, body, stamp, asker),
  }
}

/**
 * Returns the completed activity in custody's response.
 *
 * @throws `ACTIVITY_FAILED`, `CONFIRMATION_NEEDED`, `RESPONSE_INVALID`.
 */
export function readActivity(value: unknown): CompletedActivity {
  const parsed = activityResponse.safeParse(value)
  if (!parsed.success) throw unexpected()
  const { activity } = parsed.data
  if (activity.status === 'ACTIVITY_STATUS_COMPLETED') return activity
  if (activity.status === 'ACTIVITY_STATUS_PENDING' && activity.confirmation !== undefined)
    throw new ServerError('It waits for confirmation. Open the link in the email, then look again.', {
      code: 'CONFIRMATION_NEEDED',
      status: 409,
    })
  throw new ServerError(`Failed to get activity with id ${activity.id} (status: ${activity.status})`, {
    code: 'ACTIVITY_FAILED',
    status: 502,
  })
}

/**
 * Returns one part of custody's response. A mismatch is custody's fault, not the caller's.
 *
 * @throws `RESPONSE_INVALID` (502).
 */
export function readResult<schema extends z.ZodType>(schema: schema, value: unknown): z.output<schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw unexpected()
  return parsed.data
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function toError(json: unknown, status: number, retryAfter: string | undefined): ServerError {
  const parsed = errorBody.safeParse(json)
  if (!parsed.success || status < 400) return unexpected()
  const code = parsed.data.details?.map((detail) => detail.turnkeyErrorCode).find(isErrorCode)
  const retryAfterMs = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined
  const details = parsed.data.details?.filter((detail) => 'deletionDueAtMs' in detail || 'multiFactors' in detail)
  return new ServerError(parsed.data.message, { code: code ?? toErrorCode(status), status, retryAfterMs, details })
}

function toErrorCode(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHENTICATED'
  if (status === 403) return 'REQUEST_NOT_AUTHORIZED'
  if (status === 404) return 'NOT_FOUND'
  if (status === 429) return 'RATE_LIMIT_EXCEEDED'
  return status < 500 ? 'REQUEST_INVALID' : 'INTERNAL'
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code)
}

function unexpected(): ServerError {
  return new ServerError('The key-custody service gave an answer that cannot be read. Try again in a moment.', {
    code: 'RESPONSE_INVALID',
    status: 502,
  })
}
