import { BaseError } from '../errors/BaseError.ts'
import { HttpError } from '../errors/HttpError.ts'
import { readText } from './readText.ts'
import { redactUrl } from './redactUrl.ts'

export declare namespace requestJson {
  type Parameters = {
    url: string
    method: 'GET' | 'POST'
    /** Exact text of the body. */
    body?: string | undefined
    headers?: Record<string, string> | undefined
    /** How long to wait for one whole answer, in milliseconds. Default 30 000. */
    timeoutMs?: number | undefined
    signal?: AbortSignal | undefined
    fetch?: typeof globalThis.fetch | undefined
  }
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/** A wait no longer than this is done here; a longer one is the caller's to decide on. */
const longestWaitMs = 5_000
const mostRepeats = 2

/**
 * Sends one request and reads its JSON answer. A 429 or 503 that names a short `Retry-After` is asked again, twice at
 * most. Every failure is typed: `NETWORK_UNREACHABLE`, `TIMEOUT`, `ABORTED`, `HTTP_FAILED` ({@link HttpError}) or
 * `RESPONSE_INVALID`. URLs in messages carry neither query nor keys.
 */
export async function requestJson(parameters: requestJson.Parameters): Promise<requestJson.ReturnType> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await sendOnce(parameters)
    } catch (error) {
      const wait = repeats < mostRepeats ? waitOf(error) : undefined
      if (wait === undefined) throw error
      await pause(wait, parameters.signal)
    }
  }
}

function waitOf(error: unknown): number | undefined {
  if (!(error instanceof HttpError) || (error.status !== 429 && error.status !== 503)) return undefined
  const { retryAfterMs } = error
  return retryAfterMs !== undefined && retryAfterMs <= longestWaitMs ? retryAfterMs : undefined
}

/** Ends early when `signal` aborts: the next request then says so. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal?.aborted) done()
    signal?.addEventListener('abort', done)
  })
}

async function sendOnce(parameters: requestJson.Parameters): Promise<unknown> {
  const { timeoutMs = 30_000, signal } = parameters
  const url = redactUrl(parameters.url)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const stop = () => limit.abort()
  if (signal?.aborted) limit.abort()
  signal?.addEventListener('abort', stop)
  try {
    const send = parameters.fetch ?? globalThis.fetch
    const response = await send(parameters.url, {
      method: parameters.method,
      headers: parameters.headers ?? {},
      signal: limit.signal,
      ...(parameters.body === undefined ? {} : { body: parameters.body }),
    })
    const responseText = await readText(response, url)
    if (!response.ok) {
      const [retryAfter, date] = [response.headers.get('retry-after'), response.headers.get('date')]
      throw new HttpError({ status: response.status, url, responseText, retryAfter, date })
    }
    return parse(responseText, url)
  } catch (error) {
    const aborted = signal?.aborted === true
    throw typed(error, { url, rawUrl: parameters.url, timeoutMs, aborted, late: limit.signal.aborted })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BaseError('The server answered with something that is not JSON.', {
      code: 'RESPONSE_INVALID',
      metaMessages: [`URL: ${url}`, 'Check that the URL is the API and not a web page in front of it.'],
      cause,
    })
  }
}

type At = { url: string; rawUrl: string; timeoutMs: number; aborted: boolean; late: boolean }

function typed(error: unknown, at: At): BaseError {
  if (error instanceof BaseError) return error
  if (at.aborted) {
    return new BaseError('The request was cancelled.', { code: 'ABORTED', metaMessages: [`URL: ${at.url}`] })
  }
  if (at.late) {
    return new BaseError(`No answer from ${at.url} within ${at.timeoutMs} ms.`, {
      code: 'TIMEOUT',
      metaMessages: ['Check that the server is running and not overloaded, then try again.'],
    })
  }
  const text = error instanceof Error ? error.message : undefined
  return new BaseError(`Could not reach ${at.url}.`, {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: [
      'Check that the server is running (`npm start` runs a local one) and that this page may call it (CORS).',
    ],
    // Some platforms quote the whole URL, with its keys, in what they throw.
    details: text?.replaceAll(at.rawUrl, at.url),
    cause: text?.includes(at.rawUrl) ? undefined : error,
  })
}
