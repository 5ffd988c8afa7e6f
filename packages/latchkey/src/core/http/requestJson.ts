import { BaseError, readMessage } from '../errors/BaseError.ts'
import { HttpError } from '../errors/HttpError.ts'
import { pause } from '../pause.ts'
import { redactUrl } from './redactUrl.ts'

type Options = {
  url: string
  headers?: Record<string, string> | undefined
  /** Timeout of the whole response, in milliseconds. @default 30_000 */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  fetch?: typeof globalThis.fetch | undefined
}

export declare namespace getJson {
  type Parameters = Options
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/**
 * `GET`s JSON. Retries a 429 or 503 with a short `Retry-After`, at most twice. URLs in messages contain neither query
 * nor keys.
 *
 * @throws `NETWORK_UNREACHABLE`, `TIMEOUT`, `ABORTED`, `HTTP_FAILED` ({@link HttpError}), `RESPONSE_INVALID`.
 */
export function getJson(parameters: getJson.Parameters): Promise<getJson.ReturnType> {
  return requestJson({ ...parameters, method: 'GET' })
}

export declare namespace postJson {
  type Parameters = Options & {
    /** Request body. Strings are sent unchanged, other values as JSON. */
    body: unknown
  }
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/**
 * `POST`s JSON and reads a JSON response, with the retries of {@link getJson}.
 *
 * @throws as {@link getJson}.
 */
export function postJson(parameters: postJson.Parameters): Promise<postJson.ReturnType> {
  const { body, headers, ...rest } = parameters
  return requestJson({
    ...rest,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

type Request = Options & { method: 'GET' | 'POST'; body?: string | undefined }

const maxRepeats = 2
/** Longest `Retry-After` that is honored. With a longer one, the request fails. */
const maxWaitMs = 5_000

async function requestJson(request: Request): Promise<unknown> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await sendOnce(request)
    } catch (error) {
      const waitMs = repeats < maxRepeats ? getWaitMs(error) : undefined
      if (waitMs === undefined) throw error
      // If the signal aborts during this pause, the next request throws `ABORTED`.
      await pause(waitMs, request.signal)
    }
  }
}

function getWaitMs(error: unknown): number | undefined {
  if (!(error instanceof HttpError) || (error.status !== 429 && error.status !== 503)) return undefined
  const { retryAfterMs } = error
  return retryAfterMs !== undefined && retryAfterMs <= maxWaitMs ? retryAfterMs : undefined
}

async function sendOnce(request: Request): Promise<unknown> {
  const { timeoutMs = 30_000, signal } = request
  const url = redactUrl(request.url)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const stop = () => limit.abort()
  if (signal?.aborted) limit.abort()
  signal?.addEventListener('abort', stop)
  try {
    const send = request.fetch ?? globalThis.fetch
    const response = await send(request.url, {
      method: request.method,
      headers: request.headers ?? {},
      signal: limit.signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    const responseText = await readText(response, url)
    if (!response.ok) throw new HttpError({ status: response.status, url, responseText, headers: response.headers })
    return parseJson(responseText, url)
  } catch (error) {
    const isAborted = signal?.aborted === true
    throw toBaseError(error, { url, rawUrl: request.url, timeoutMs, isAborted, isLate: limit.signal.aborted })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Limits memory use. No Latchkey service sends a longer response. */
const maxBytes = 16 * 1024 * 1024

async function readText(response: Response, url: string): Promise<string> {
  // On platforms that cannot stream (React Native), the response is already in memory.
  if (!response.body) return response.text()
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined)
      throw new BaseError('The response of the server is larger than 16 MB.', {
        code: 'RESPONSE_INVALID',
        metaMessages: [`URL: ${url}`, 'Check that the URL is the API and not a file behind it.'],
      })
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BaseError('The response of the server is not JSON.', {
      code: 'RESPONSE_INVALID',
      metaMessages: [`URL: ${url}`, 'Check that the URL is the API and not a web page in front of it.'],
      cause,
    })
  }
}

type Failure = { url: string; rawUrl: string; timeoutMs: number; isAborted: boolean; isLate: boolean }

function toBaseError(error: unknown, { url, rawUrl, timeoutMs, isAborted, isLate }: Failure): BaseError {
  if (error instanceof BaseError) return error
  if (isAborted) {
    return new BaseError('The request was cancelled.', { code: 'ABORTED', metaMessages: [`URL: ${url}`] })
  }
  if (isLate) {
    return new BaseError(`No response from ${url} within ${timeoutMs} ms.`, {
      code: 'TIMEOUT',
      shortMessage: 'The service did not respond in time. Try again.',
      metaMessages: ['Check that the server is running and not overloaded, then try again.'],
    })
  }
  const text = readMessage(error)
  // A devnet accepts only the configured page origins, and the browser hides the reason for a CORS failure.
  const origin = url.includes('//localhost') && globalThis.location?.origin
  return new BaseError(`Could not reach ${url}.`, {
    code: 'NETWORK_UNREACHABLE',
    shortMessage: 'The service could not be reached.',
    metaMessages: [
      'Check that the server is running (`npm start` runs a local one) and that this page may call it (CORS).',
      ...(origin ? [`To allow this page, start the devnet with --app-url ${origin}`] : []),
    ],
    // Some platforms quote the whole URL, with its keys, in their errors.
    details: text?.replaceAll(rawUrl, url),
    cause: text?.includes(rawUrl) ? undefined : error,
  })
}
