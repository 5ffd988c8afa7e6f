import * as http from 'node:http'
import * as https from 'node:https'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { ServerError } from '../errors/ServerError.ts'
import { parseUrl } from './parseUrl.ts'

export declare namespace fetchBounded {
  type Options = {
    /** Name of the remote server for error messages, such as "The node". */
    what: string
    /** @default 10000 */
    timeoutMs?: number | undefined
    /** @default 5000000 */
    maxBytes?: number | undefined
    /** Called with each chunk's size. An error it throws ends the request and is rethrown. */
    onBytes?: ((bytes: number) => void) | undefined
    /**
     * Certificate authorities and DNS lookup to use in place of the machine's own. Such connections are not reused.
     * @default the machine's
     */
    connection?: Pick<https.RequestOptions, 'ca' | 'lookup'> | undefined
    method?: string
    headers?: Record<string, string>
    body?: string | Uint8Array<ArrayBuffer>
  }
  type ReturnType = { status: number; headers: http.IncomingHttpHeaders; body: Uint8Array<ArrayBuffer> }
}

/**
 * Reuses connections, since `fetch` needs four times as long for a short request. The idle timeout is shorter than
 * servers' timeouts, since a request on a closing connection would fail.
 */
const pool = { keepAlive: true, maxSockets: 256, maxFreeSockets: 32, scheduling: 'lifo', timeout: 4_000 } as const
const agents = { 'http:': new http.Agent(pool), 'https:': new https.Agent(pool) } as const

/** Code of an error's cause if no connection was established in time, so nothing was sent. */
export const connectTimeout = 'CONNECT_TIMEOUT'

/**
 * Sends an outgoing request with a deadline for headers and body, a limit on the response, and no redirects. Resolves
 * with the response, whatever its status. Errors contain `what` but never the URL, since a URL may contain a key.
 * @throws `TIMEOUT` (504), `NETWORK_UNREACHABLE` (502), `RESPONSE_INVALID` (502).
 */
export async function fetchBounded(url: string, options: fetchBounded.Options): Promise<fetchBounded.ReturnType> {
  const { what, timeoutMs = 10_000, maxBytes = 5_000_000, onBytes } = options
  let refusal: { error: unknown } | undefined
  let size = 0
  const take = (bytes: number) => {
    size += bytes
    if (size > maxBytes)
      throw new ServerError(`${what} answered with more than ${maxBytes} bytes.`, {
        code: 'RESPONSE_INVALID',
        status: 502,
      })
    onBytes?.(bytes)
  }
  try {
    return await exchange(url, options, {
      timeoutMs,
      take(bytes) {
        try {
          take(bytes)
        } catch (error) {
          refusal = { error }
          throw error
        }
      },
    })
  } catch (cause) {
    if (refusal) throw refusal.error
    if (cause instanceof Late)
      throw new ServerError(`${what} did not answer within ${timeoutMs} ms. Try again in a moment.`, {
        code: 'TIMEOUT',
        status: 504,
        cause,
      })
    throw new ServerError(`${what} cannot be reached. Check that it is running and that its URL is right.`, {
      code: 'NETWORK_UNREACHABLE',
      status: 502,
      cause,
    })
  }
}

class Late extends Error {
  readonly code: string
  constructor(isConnected: boolean) {
    super('The deadline passed.')
    this.code = isConnected ? 'TIMEOUT' : connectTimeout
  }
}

type Bounds = { timeoutMs: number; take: (bytes: number) => void }

function exchange(
  target: string,
  { method = 'GET', headers, body, connection }: fetchBounded.Options,
  { timeoutMs, take }: Bounds,
): Promise<fetchBounded.ReturnType> {
  return new Promise((resolve, reject) => {
    const url = new URL(target)
    const send = url.protocol === 'https:' ? https.request : http.request
    const request = send(url, {
      method,
      agent: connection ? false : url.protocol === 'https:' ? agents['https:'] : agents['http:'],
      ...connection,
      headers: { accept: '*/*', 'accept-encoding': 'gzip, br', 'user-agent': 'latchkey-server', ...headers },
    })
    const deadline = setTimeout(() => end(new Late(request.socket?.connecting === false)), timeoutMs)
    deadline.unref()
    function end(error: Error) {
      clearTimeout(deadline)
      reject(error)
      // Does not wait for the rest of the response.
      request.destroy()
    }
    request.once('error', end)
    request.once('response', (response) => {
      const { statusCode: status = 0, headers: received } = response
      if (isRedirect(status)) return end(new TypeError('A redirect, which is not followed.'))
      const chunks: Buffer[] = []
      decode(response, end)
        .on('data', (chunk: Buffer) => {
          try {
            take(chunk.byteLength)
            chunks.push(chunk)
          } catch (error) {
            end(error as Error)
          }
        })
        .once('end', () => {
          clearTimeout(deadline)
          resolve({ status, headers: received, body: new Uint8Array(Buffer.concat(chunks)) })
        })
    })
    request.end(body)
  })
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

function decode(response: http.IncomingMessage, onError: (error: Error) => void): Readable {
  const coding = response.headers['content-encoding'] ?? ''
  if (!/^(?:x-)?(?:gzip|deflate|br)$/i.test(coding)) return response.on('error', onError)
  const decoder = /br$/i.test(coding) ? createBrotliDecompress() : createUnzip()
  response.on('error', (error) => decoder.destroy(error))
  // `pipeline` ends with the last write, before the decoder notices a truncated body.
  return response.pipe(decoder).on('error', onError)
}

/** Returns whether a secret may be sent to a URL: https, or http to this machine. */
export function isSecureUrl(text: string): boolean {
  const url = parseUrl(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
}

export function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[\w-]+\.)+localhost)$/i.test(hostname)
}
