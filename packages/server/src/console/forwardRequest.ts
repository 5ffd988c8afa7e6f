import type { Context } from 'hono'
import { headers as wireHeaders } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import { clientIp } from '../platform/http/clientIp.ts'
import { readBody } from '../platform/http/requestBody.ts'

/** Request headers that are forwarded; all others are dropped. */
const askedHeaders = ['accept', 'content-type', 'if-match', 'last-event-id', wireHeaders.webauthnStamp]
/** Response headers that are forwarded. */
const givenHeaders = ['content-type', 'etag', 'retry-after']
const requestMs = 15_000
const maxBodyBytes = 64 * 1024

export declare namespace forwardRequest {
  type Parameters = {
    /** Admin API URL as reachable from this process. */
    adminUrl: string
    /** @default the request's path */
    path?: string | undefined
    bearer: string | undefined
    /** See `clientIp`. */
    trustedProxies?: number | undefined
  }
}

/**
 * Forwards a page's request to the admin API. Streams stay open until either side ends.
 *
 * @throws `NETWORK_UNREACHABLE`, `BODY_TOO_LARGE`.
 */
export async function forwardRequest(http: Context, parameters: forwardRequest.Parameters): Promise<Response> {
  const request = http.req.raw
  const { pathname, search } = new URL(request.url)
  const { adminUrl, path = pathname + search, bearer, trustedProxies } = parameters
  // The admin API applies limits per visitor if it counts this server among its proxies.
  const ip = clientIp(http, { trustedProxies }) ?? 'unknown'
  const headers = new Headers({ 'x-forwarded-for': ip.replace('/64', '') })
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
  for (const name of askedHeaders) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const body = ['GET', 'HEAD'].includes(request.method)
    ? undefined
    : await readBody(request, { maxBytes: maxBodyBytes })
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), requestMs)
  const signal = AbortSignal.any([request.signal, late.signal])
  const response = await fetch(new URL(path, adminUrl), {
    method: request.method,
    headers,
    signal,
    redirect: 'error',
    ...(body && body.length > 0 && { body: new Uint8Array(body) }),
  })
    .catch((cause: unknown) => {
      throw new ServerError('The admin API does not answer. Is its role started?', {
        code: 'NETWORK_UNREACHABLE',
        status: 503,
        cause,
      })
    })
    .finally(() => clearTimeout(timer))
  const kept = givenHeaders.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  return new Response(response.body && endWithCaller(response.body, request.signal), {
    status: response.status,
    headers: [...kept, ['cache-control', 'no-store'], ['x-content-type-options', 'nosniff']],
  })
}

/** Closing a page ends its streams; this is not an error. */
function endWithCaller(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        if (signal.aborted) controller.close()
        else controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
