import { readBody } from './requestBody.ts'
import { ServerError } from './ServerError.ts'

export declare namespace fetchBounded {
  type Options = {
    /** Name of the other side, for error texts: "The node". */
    what: string
    /** @default 10000 */
    timeoutMs?: number | undefined
    /** @default 5000000 */
    maxBytes?: number | undefined
    /** Sees each number of bytes of the response as they come. What it throws ends the request, and is thrown. */
    onBytes?: ((bytes: number) => void) | undefined
    method?: string
    headers?: Record<string, string>
    body?: string | Uint8Array<ArrayBuffer>
  }
  type ReturnType = { status: number; headers: Headers; body: Uint8Array<ArrayBuffer> }
}

/**
 * An outgoing request with a deadline over headers and body, a bound on the response and no redirects. Any status is a
 * response. Errors name `what`, never the URL, since a URL may hold a key.
 *
 * @throws `TIMEOUT` (504), `NETWORK_UNREACHABLE` (502), `RESPONSE_INVALID` (502).
 */
export async function fetchBounded(url: string, options: fetchBounded.Options): Promise<fetchBounded.ReturnType> {
  const { what, timeoutMs = 10_000, maxBytes = 5_000_000, onBytes, ...init } = options
  // One signal and one timer: joined signals cost as much as a short request.
  const ended = new AbortController()
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    ended.abort()
  }, timeoutMs)
  deadline.unref()
  let refusal: unknown
  const watch = (bytes: number) => {
    try {
      onBytes?.(bytes)
    } catch (error) {
      refusal = error
      throw error
    }
  }
  try {
    const response = await fetch(url, { redirect: 'error', ...init, signal: ended.signal })
    const body = await readBody(response, { maxBytes, onBytes: watch })
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    // What is left of the response is not waited for.
    ended.abort()
    if (refusal !== undefined) throw refusal
    if (isLate)
      throw new ServerError(`${what} did not answer within ${timeoutMs} ms. Try again in a moment.`, {
        code: 'TIMEOUT',
        status: 504,
        cause: error,
      })
    if (error instanceof ServerError && error.code === 'BODY_TOO_LARGE')
      throw new ServerError(`${what} answered with more than ${maxBytes} bytes.`, {
        code: 'RESPONSE_INVALID',
        status: 502,
        cause: error,
      })
    throw new ServerError(`${what} cannot be reached. Check that it is running and that its URL is right.`, {
      code: 'NETWORK_UNREACHABLE',
      status: 502,
      cause: error,
    })
  } finally {
    clearTimeout(deadline)
  }
}

/** Whether a secret may be sent to a URL: https, or http to this very machine. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))
}

/** Whether a host of a URL is this very machine. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[\w-]+\.)+localhost)$/i.test(hostname)
}
