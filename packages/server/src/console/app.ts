import { fileURLToPath } from 'node:url'
import { Hono, type MiddlewareHandler } from 'hono'
import { type AdminErrorBody, adminPath, consoleHeader } from 'latchkey/wire'
import { errorResponse } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import { measureRequests } from '../http/metrics.ts'
import { assetResponse, readPages } from '../http/pageFiles.ts'
import { readBody } from '../http/requestBody.ts'
import { requestId } from '../http/requestId.ts'
import { ServerError } from '../http/ServerError.ts'

export declare namespace consoleApp {
  type Deps = {
    /** The admin API as this process reaches it, without its path. */
    adminUrl: string
    /** The key of the operator that every visitor is. It never reaches a page. */
    operatorSecret: string
    /** What the page gets to know of the world around it, as JSON at `/config.json`. @default {} */
    config?: Readonly<Record<string, unknown>> | undefined
    logger?: Logger | undefined
    /** Folder of the built page. @default the one inside this package */
    pagesDir?: string | undefined
  }
  type ReturnType = Hono<Variables>
}

type Variables = { Variables: { requestId: string } }

/** The same depth from `src/console` and from `dist/console`. */
const builtPages = fileURLToPath(new URL('../../console', import.meta.url))

/** Nothing but the page's own files and its own server; mails of the dev world show in a frame of their own policy. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Of a request that is passed on; all else stays here. */
const askedHeaders = ['accept', 'content-type', 'if-match', 'last-event-id']
/** Of the response. */
const givenHeaders = ['content-type', 'etag', 'retry-after']
const requestMs = 15_000
const maxBodyBytes = 64 * 1024

/**
 * The console of one machine: its page, and the admin API behind it as one operator, without a login. Any caller
 * that reaches it may do what that operator may, so it serves loopback names alone. Bind it to loopback, too.
 *
 * @throws `CONFIG_INVALID` when the page is not built.
 *
 * @example
 * ```ts
 * import { consoleApp, listen } from 'latchkey-server'
 *
 * const console = consoleApp({ adminUrl: 'http://localhost:4113', operatorSecret: 'lko_…' })
 * await listen((request) => console.fetch(request), { port: 4106 })
 * ```
 */
export function consoleApp(deps: consoleApp.Deps): consoleApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const files = readPages(deps.pagesDir ?? builtPages)
  const app = new Hono<Variables>()
  app.onError((error, http) => {
    const toBody = ({ code, message }: ServerError): AdminErrorBody => ({
      error: { code, message, requestId: http.var.requestId },
    })
    return errorResponse(http, error, { logger, toBody })
  })
  app.use('*', requestId())
  app.use('*', measureRequests('console'))
  app.use('*', ownPageOnly)
  app.all(`${adminPath}/*`, fromPage, (http) => passOn(http.req.raw, deps))
  app.get('/config.json', (http) => http.json(deps.config ?? {}, 200, { 'cache-control': 'no-store' }))
  app.get('*', (http) => {
    const file = files.get(http.req.path)
    if (file && http.req.path !== '/index.html')
      return assetResponse(file, { path: http.req.path, asked: http.req.raw.headers, headers: pageHeaders })
    const index = files.get('/index.html')
    // A path without an ending is a place in the page.
    if (!index || /\.\w+$/.test(http.req.path.replace('/index.html', '/'))) return http.notFound()
    const headers = { ...pageHeaders, 'content-type': index.contentType, 'cache-control': 'no-store' }
    return new Response(index.content, { headers })
  })
  return app
}

const isLoopback = (name: string) => /^(?:localhost|127\.0\.0\.1|\[::1\])$|\.localhost$/.test(name)

/** A rebound name is refused, and so is what a page of another origin sends. */
const ownPageOnly: MiddlewareHandler = async (http, next) => {
  const url = new URL(http.req.url)
  const origin = http.req.header('origin')
  if (!isLoopback(url.hostname) || (origin !== undefined && origin !== url.origin))
    throw new ServerError('The console without a login serves its own page on this machine alone.', {
      code: 'ORIGIN_NOT_ALLOWED',
      status: 403,
    })
  await next()
}

/** A page of another origin cannot set a header of its own without asking first, which is refused (Fetch § CORS). */
const fromPage: MiddlewareHandler = async (http, next) => {
  if (http.req.header(consoleHeader) === undefined)
    throw new ServerError(`Calls of the console's page carry ${consoleHeader}.`, {
      code: 'ORIGIN_NOT_ALLOWED',
      status: 403,
    })
  await next()
}

/** To the admin API, as the operator. Streams stay open until either side ends. */
async function passOn(request: Request, { adminUrl, operatorSecret }: consoleApp.Deps): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = new Headers({ authorization: `Bearer ${operatorSecret}` })
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
  const response = await fetch(new URL(pathname + search, adminUrl), {
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

/** A page that leaves ends its streams: that is no error. */
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
