import { BaseError } from '../errors/BaseError.ts'
import { HttpError } from '../errors/HttpError.ts'
import { redactUrl } from './redactUrl.ts'

export declare namespace requestJson {
  type Parameters = {
    url: string
    method: 'GET' | 'POST'
    /** Exact text of the body. */
    body?: string | undefined
    headers?: Record<string, string> | undefined
    /** How long to wait for the whole answer, in milliseconds. Default 30 000. */
    timeoutMs?: number | undefined
    signal?: AbortSignal | undefined
    fetch?: typeof globalThis.fetch | undefined
  }
  type ReturnType = unknown
  type ErrorType = BaseError | HttpError
}

/**
 * Sends one request and reads its JSON answer. Every failure is typed: `NETWORK_UNREACHABLE`, `TIMEOUT`, `ABORTED`,
 * `HTTP_FAILED` ({@link HttpError}) or `RESPONSE_INVALID`. URLs in messages carry neither query nor keys.
 */
export async function requestJson(parameters: requestJson.Parameters): Promise<requestJson.ReturnType> {
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
    const text = await response.text()
    if (!response.ok) throw new HttpError({ status: response.status, url, responseText: text })
    return parse(text, url)
  } catch (error) {
    throw typed(error, {
      url,
      rawUrl: parameters.url,
      timeoutMs,
      aborted: signal?.aborted === true,
      late: limit.signal.aborted,
    })
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
