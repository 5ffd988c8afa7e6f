import type { Server, ServerResponse } from 'node:http'
import { serve } from '@hono/node-server'
import { configInvalid, ServerError } from '../errors/ServerError.ts'

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/**
 * The whole request must arrive within 30 s and its headers within 10 s. By default, Node checks these only twice a
 * minute.
 */
const slowSenders = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 2_000 }

export declare namespace listen {
  /** `env` contains the connection (`@hono/node-server/conninfo`), from which limits read the client's IP address. */
  type Fetch = (request: Request, env: object) => Response | Promise<Response>
  type Options = {
    /** 0 picks a free port. */
    port: number
    /** @default '127.0.0.1' */
    host?: string | undefined
    /** Host names (no port) accepted besides the loopback names. */
    allowedHosts?: readonly string[] | undefined
  }
  type ReturnType = {
    url: string
    port: number
    /**
     * Closes each connection after its next response, but still accepts new connections. Call it some time before
     * `close`.
     */
    drain(): void
    /**
     * Accepts no more connections and waits at most `graceMs` for running requests.
     *
     * @default { graceMs: 1000 }
     */
    close(options?: { graceMs?: number }): Promise<void>
  }
  type ErrorType = ServerError
}

/**
 * Serves a `fetch` function over HTTP, on loopback by default. On loopback, it refuses requests with 421 unless their
 * `Host` is a loopback name or one of `allowedHosts`, which prevents DNS rebinding by other pages.
 *
 * @throws `PORT_TAKEN`, `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * import { listen } from 'latchkey-server'
 *
 * const { url, close } = await listen(() => new Response('It works.'), { port: 8080, allowedHosts: ['api.example.com'] })
 * console.log(url)
 * await close()
 * ```
 */
export async function listen(fetch: listen.Fetch, options: listen.Options): Promise<listen.ReturnType> {
  const { port, host = '127.0.0.1' } = options
  const onLoopback = host === '127.0.0.1' || host === 'localhost' || host === '::1'
  const guarded = onLoopback || options.allowedHosts ? hostGuard(fetch, options.allowedHosts ?? []) : fetch
  const server = await new Promise<Server>((resolve, reject) => {
    const options = { fetch: guarded, port, hostname: host, serverOptions: slowSenders }
    const started = serve(options, () => resolve(started)) as Server
    started.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
  })
  let isDraining = false
  server.prependListener('request', (_request: unknown, response: ServerResponse) => {
    if (isDraining) response.shouldKeepAlive = false
  })
  function drain(): void {
    isDraining = true
  }
  const address = server.address()
  const actualPort = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${toUrlHost(host)}:${actualPort}`,
    port: actualPort,
    drain,
    close: ({ graceMs = 1_000 } = {}) =>
      new Promise((resolve) => {
        drain()
        const late = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(late)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}

/** `localhost` may mean only 127.0.0.1, so the URL contains an IPv6 host as is, in brackets (RFC 3986 § 3.2.2). */
function toUrlHost(host: string): string {
  if (host.includes(':')) return `[${host}]`
  return host === '127.0.0.1' ? 'localhost' : host
}

function hostGuard(fetch: listen.Fetch, allowedHosts: readonly string[]): listen.Fetch {
  const allowed = new Set([...loopbackHosts, ...allowedHosts])
  return (request, env) => {
    const { hostname } = new URL(request.url)
    if (allowed.has(hostname) || hostname.endsWith('.localhost')) return fetch(request, env)
    return Response.json(
      { code: 'ORIGIN_NOT_ALLOWED', message: 'This host name is not served here. Add it to the allowed hosts.' },
      { status: 421 },
    )
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ServerError {
  if (error.code === 'EADDRINUSE')
    return new ServerError(`Port ${port} on ${host} is taken. Choose another port or stop what uses it.`, {
      code: 'PORT_TAKEN',
      status: 500,
      cause: error,
    })
  return configInvalid(`Cannot listen on ${host}:${port} (${error.code ?? 'unknown reason'}).`, error)
}
