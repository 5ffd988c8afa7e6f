import { type Context, Hono } from 'hono'
import { consoleHeader } from 'latchkey-protocol'
import { consoleApp, listen } from 'latchkey-server'
import { isAddress, numberToHex } from 'viem'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import type { DevnetClock } from './createDevnetClock.ts'
import { ownOriginOnly } from './ownOriginOnly.ts'

type Shown = {
  urls: Readonly<Record<'admin' | 'wallet' | 'inbox' | 'node', string>>
  operatorSecret: string
  chainId: number
  clock: DevnetClock
  readyMs: number
  smtpPort: number
}

export declare namespace serveConsole {
  type Parameters = { port: number; devnet: Shown; log(line: string): void }
  type ReturnType = { url: string; close(): Promise<void> }
}

/**
 * Serves the operator console of this devnet: the server's page and admin API, and below `/dev` the devnet's inbox,
 * faucet and clock. Needs no login, but accepts only pages of its own origin.
 */
export async function serveConsole({ port, devnet, log }: serveConsole.Parameters): Promise<serveConsole.ReturnType> {
  const { urls, operatorSecret, chainId } = devnet
  const app = new Hono()
  app.route('/dev', devCalls(devnet))
  const open = () =>
    consoleApp({
      adminUrl: new URL(urls.admin).origin,
      operatorSecret,
      config: { isDevnet: true, chainId, walletUrl: urls.wallet },
      logger: {
        info: () => undefined,
        warn: (_, message) => log(`console warning: ${message}`),
        error: (_, message) => log(`console error: ${message}`),
      },
    })
  let server: consoleApp.ReturnType | undefined
  app.all('*', (http) => {
    // In a clone, the console is built after the wallet has started.
    server ??= openIfBuilt(open)
    if (server) return server.fetch(http.req.raw)
    http.header('refresh', '2')
    return http.text('The console is being built. This page reloads by itself.', 503)
  })
  return listen((request) => app.fetch(request), { port })
}

function openIfBuilt(open: () => consoleApp.ReturnType): consoleApp.ReturnType | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'CONFIG_INVALID') return undefined
    throw error
  }
}

function devCalls(devnet: Shown): Hono {
  const app = new Hono()
  app.use(ownOriginOnly())
  app.use(async (http, next) => {
    http.header('cache-control', 'no-store')
    http.header('x-content-type-options', 'nosniff')
    // The frame that displays an e-mail cannot send this header, so an e-mail cannot change anything.
    if (http.req.method !== 'GET' && http.req.header(consoleHeader) === undefined)
      return http.json(
        { code: 'ORIGIN_NOT_ALLOWED', message: `Calls of the console's page carry ${consoleHeader}.` },
        403,
      )
    return next()
  })
  app.onError((error, http) => refuse(http, error))
  app.get('/devnet', async (http) => http.json(await readState(devnet)))
  app.post('/clock', async (http) => {
    const { by } = await readJson(http)
    if (typeof by !== 'string') throw invalid('`by` must be a duration such as "16m".')
    await devnet.clock.advance(by)
    return http.json(await readState(devnet))
  })
  app.post('/faucet', async (http) => {
    const { address, wei } = await readJson(http)
    if (typeof address !== 'string' || !isAddress(address, { strict: false }))
      throw invalid('`address` must be an address of 20 bytes in hex.')
    if (typeof wei !== 'string' || !/^[1-9]\d{0,26}$/.test(wei))
      throw invalid('`wei` must be a number in decimal digits.')
    const { node } = devnet.urls
    const before = BigInt(await rpc<string>({ url: node, method: 'eth_getBalance', params: [address, 'latest'] }))
    const balance = before + BigInt(wei)
    await rpc({ url: node, method: 'anvil_setBalance', params: [address, numberToHex(balance)] })
    return http.json({ balance: String(balance) })
  })
  app.on(['GET', 'DELETE'], '/inbox/*', (http) => passToInbox(http, devnet.urls.inbox))
  return app
}

/** Forwards a request to the inbox without its `Origin`, which `ownOriginOnly` has already checked. */
async function passToInbox({ req }: Context, inboxUrl: string): Promise<Response> {
  const { pathname, search } = new URL(req.url)
  const target = new URL(pathname.replace(/^\/dev\/inbox/, '') + search, inboxUrl)
  const response = await fetch(target, { method: req.method, signal: AbortSignal.timeout(5_000) })
  return new Response(response.body, { status: response.status, headers: response.headers })
}

async function readState({ urls, chainId, clock, readyMs, smtpPort }: Shown) {
  const block = Number(await rpc<string>({ url: urls.node, method: 'eth_blockNumber' }))
  return { chainId, block, aheadMs: Math.max(clock.now() - Date.now(), 0), readyMs, smtpPort }
}

async function readJson({ req }: Context): Promise<Record<string, unknown>> {
  const value: unknown = await req.json().catch(() => undefined)
  if (typeof value === 'object' && value !== null) return { ...value }
  throw invalid('The body must be a JSON object.')
}

const invalid = (message: string) => new DevError(message, { code: 'ARGUMENT_INVALID' })

function refuse(http: Context, error: unknown): Response {
  if (error instanceof DevError && error.code === 'ARGUMENT_INVALID')
    return http.json({ code: error.code, message: error.message }, 400)
  const message = error instanceof Error ? error.message : 'Something went wrong.'
  return http.json({ code: 'INTERNAL', message }, 500)
}
