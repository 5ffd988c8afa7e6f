import { consoleHeader } from 'latchkey-protocol'
import { type AdminErrorBody, adminPath } from 'latchkey-protocol/admin'
import { noteServerTime } from './serverTime.ts'

/** A failed call. `code` is one of latchkey-protocol's `errorCodes`, or `OFFLINE` if there was no response. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: string
  readonly requestId: string | undefined

  constructor(message: string, { code, requestId, cause }: { code: string; requestId?: string; cause?: unknown }) {
    super(message, { cause })
    this.code = code
    this.requestId = requestId
  }
}

export declare namespace request {
  type Options = {
    /** @default 'GET' */
    method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined
    body?: object | undefined
    /** Version that was read, sent as `If-Match`. */
    version?: string | undefined
    signal?: AbortSignal | undefined
    headers?: Readonly<Record<string, string>> | undefined
  }
}

const timeoutMs = 20_000

let pageToken: string | undefined

/** Headers of every call. Without a login, the server accepts any value. */
export const pageHeaders = (): Readonly<Record<string, string>> => ({ [consoleHeader]: pageToken ?? '1' })

/** Sets the token that proves that this page made a call; undefined without a session. */
export function setPageToken(token: string | undefined): void {
  pageToken = token
}

/**
 * Calls the console's own server.
 *
 * @throws `CallError`
 */
export async function request<response>(path: string, options: request.Options = {}): Promise<response> {
  const { method = 'GET', body, version, signal, headers } = options
  const late = AbortSignal.timeout(timeoutMs)
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...pageHeaders(),
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
    signal: signal ? AbortSignal.any([signal, late]) : late,
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new CallError('The console’s server is not responding. Is it still running?', { code: 'OFFLINE', cause })
  })
  noteServerTime(response.headers.get('date'))
  const text = await response.text()
  const parsed = parseJson(text)
  if (response.ok) return parsed as response
  throw toCallError(response.status, parsed)
}

/** Calls the admin API. `path` is relative to `/admin/v1` and begins with a slash. */
export function askAdmin<response>(path: string, options?: request.Options): Promise<response> {
  return request(`${adminPath}${path}`, options)
}

/** Returns a query string of `name=value` for each defined parameter. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return query === '' ? '' : `?${query}`
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return {}
  }
}

function toCallError(status: number, body: unknown): CallError {
  const { error, code, message } = body as Partial<AdminErrorBody> & { code?: string; message?: string }
  if (error) return new CallError(error.message, { code: error.code, requestId: error.requestId })
  return new CallError(message ?? `The server answered with status ${status}.`, { code: code ?? 'RESPONSE_INVALID' })
}
