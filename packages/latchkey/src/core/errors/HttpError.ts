import { BaseError, isReadable } from './BaseError.ts'

export declare namespace HttpError {
  type Options = {
    /** HTTP status of the response. */
    status: number
    /** URL of the request, without query and keys. */
    url: string
    /** Text of the response, as received. */
    responseText: string
    /**
     * Headers of the response. Latchkey reads `Retry-After` (RFC 9110 § 10.2.3), `Date` and `X-Request-Id`. The request
     * ID identifies the request in the service's logs and becomes `details`.
     */
    headers?: { get(name: string): string | null } | undefined
  }
}

const maxMessageLength = 2000

/**
 * Error for a response with a status outside 2xx (code `HTTP_FAILED`). The message starts with the `message` of a JSON
 * response, otherwise with the response text, otherwise with the status.
 */
export class HttpError extends BaseError {
  readonly status: number
  readonly responseText: string
  /** The server's own message, or the response's text, or the status. */
  readonly text: string
  /** Code in the response: one of Latchkey's error codes, or the number of a gRPC-style status. */
  readonly serverCode: string | number | undefined
  /** The `details` member of a gRPC-style status; undefined if there is none. */
  readonly serverDetails: unknown
  /** Delay before the next request, in milliseconds; undefined if the server did not specify one. */
  readonly retryAfterMs: number | undefined
  /** Server time of the response, in milliseconds since 1970; undefined if CORS hides the header from the page. */
  readonly serverTimeMs: number | undefined

  constructor(options: HttpError.Options) {
    const body = parseBody(options.responseText)
    const read = (name: string) => options.headers?.get(name) ?? ''
    const requestId = read('x-request-id')
    const retryAfterMs = readRetryAfter(read('retry-after'))
    const wait = retryAfterMs === undefined ? [] : [`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`]
    const status = `The server answered with status ${options.status}.`
    const message = body?.message ?? (options.responseText.trim().slice(0, maxMessageLength) || status)
    super(message, {
      code: 'HTTP_FAILED',
      shortMessage: isReadable(message) ? message : status,
      metaMessages: [`URL: ${options.url}`, `Status: ${options.status}`, ...wait],
      details: requestId ? `Request ${requestId}` : undefined,
      name: 'HttpError',
    })
    this.status = options.status
    this.responseText = options.responseText
    this.text = message
    this.serverCode = body?.code
    this.serverDetails = body?.details
    this.retryAfterMs = retryAfterMs
    this.serverTimeMs = Date.parse(read('date')) || undefined
  }
}

function readRetryAfter(value: string): number | undefined {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

function parseBody(text: string): { code: string | number | undefined; message: string; details: unknown } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { code, message, details } = value as { code?: unknown; message?: unknown; details?: unknown }
  if (typeof message !== 'string' || message === '') return undefined
  return { code: typeof code === 'string' || typeof code === 'number' ? code : undefined, message, details }
}
