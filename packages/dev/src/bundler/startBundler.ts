import type { Address } from 'viem'
import { devAccountOf } from '../chain/devAccounts.ts'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import { startChild } from '../processes/startChild.ts'
import { ensureThirdParty } from '../thirdParty/ensureThirdParty.ts'

export declare namespace startBundler {
  type Parameters = {
    /** TCP port on 127.0.0.1. */
    port: number
    /** URL of a node on which every EntryPoint is deployed, and accounts 6 and 7 of `devAccounts` have ether. */
    nodeUrl: string
    entryPoints: readonly Address[]
    /** Cache folder of the bundler, see `ensureThirdParty`. */
    cacheDir: string
    /** Called with each line that the bundler prints. */
    log?: ((line: string) => void) | undefined
    /** Called once if the bundler exits without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
    /** Additional options of alto, by name, for tests. They override those of the devnet. */
    settings?: Readonly<Record<string, string | number | boolean>> | undefined
    /** Start timeout in milliseconds. @default 60_000, which allows for a busy machine */
    timeoutMs?: number | undefined
  }
  type ReturnType = {
    /** JSON-RPC URL for the ERC-4337 methods and eth_chainId. Use the node for other methods. */
    url: string
    pid: number
    /** Sets the clock against which the bundler checks the validity of operations, ahead of the machine's clock. */
    setAhead(aheadMs: number): Promise<void>
    close(): Promise<void>
  }
  type ErrorType = DevError
}

/** Header of requests to the preload module. Other requests go to the bundler. */
const clockHeader = 'latchkey-clock-ahead-ms'

/**
 * Starts the bundler alto as a child process. Its settings bundle a user operation within a tenth of a second. Does not
 * enforce the validation rules of ERC-7562 (`--safe-mode false`), because alto's tracers do not run on anvil.
 */
export async function startBundler(parameters: startBundler.Parameters): Promise<startBundler.ReturnType> {
  const { port, nodeUrl, cacheDir, log, onExit, timeoutMs = 60_000 } = parameters
  const { bundler: script } = await ensureThirdParty({ cacheDir, log })
  const url = `http://127.0.0.1:${port}`
  const start = (limitMs: number) =>
    startChild({
      name: 'the bundler',
      program: process.execPath,
      args: ['--import', preload, script, ...altoArguments(parameters)],
      port,
      timeoutMs: limitMs,
      log,
      onExit,
      isReady: async () => {
        const chainId = await rpc<string>({ url, method: 'eth_chainId', timeoutMs: 2_000 })
        return chainId === (await rpc<string>({ url: nodeUrl, method: 'eth_chainId', timeoutMs: 2_000 }))
      },
    })
  // Usually takes two seconds. Because alto sometimes hangs at the start, retries with a second process.
  const child = await start(timeoutMs / 3).catch((error: unknown) => {
    if (error instanceof DevError && error.code === 'TIMEOUT') return start((timeoutMs * 2) / 3)
    throw error
  })
  const setAhead = async (aheadMs: number): Promise<void> => {
    const headers = { [clockHeader]: String(Math.round(aheadMs)) }
    await fetch(url, { method: 'POST', headers, signal: AbortSignal.timeout(10_000) })
  }
  return { url: `http://localhost:${port}`, pid: child.pid, setAhead, close: () => child.close() }
}

function altoArguments({ port, nodeUrl, entryPoints, settings }: startBundler.Parameters): string[] {
  const options = {
    entrypoints: entryPoints.join(','),
    'rpc-url': nodeUrl,
    port,
    'utility-private-key': devAccountOf.bundlerUtility.privateKey,
    'executor-private-keys': devAccountOf.bundlerExecutor.privateKey,
    'safe-mode': false,
    // In milliseconds. The chain mines immediately, so the bundler need not wait for a block.
    'block-time': 100,
    // Interval in milliseconds at which the bundler checks for operations.
    'min-bundle-interval': 25,
    'max-bundle-interval': 50,
    'log-level': 'error',
    // Without this option, an additional thread pretty-prints the log.
    json: true,
    ...settings,
  }
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
}

/**
 * Preload module for the bundler's process. Without it, the bundler would listen on every interface and check neither
 * `Host` nor `Origin`. Rejects requests with an `Origin`, because pages use the gateway.
 */
const source = `
import http from 'node:http'
import net from 'node:net'
import perf from 'node:perf_hooks'
// Its metrics would wake the process a hundred times a second, and nothing reads them.
perf.monitorEventLoopDelay = undefined
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (options, ...rest) {
  const local = typeof options === 'object' && options !== null && 'port' in options
  return listen.call(this, local ? { ...options, host: '127.0.0.1' } : options, ...rest)
}
const loopback = /^(localhost|127[.]0[.]0[.]1|[[]::1[]]|[^:@/]+[.]localhost)(:[0-9]+)?$/i
const now = Date.now
let aheadMs = 0
Date.now = () => now() + aheadMs
const emit = http.Server.prototype.emit
http.Server.prototype.emit = function (event, ...rest) {
  if (event !== 'request' && event !== 'upgrade') return emit.call(this, event, ...rest)
  const [{ headers }, out] = rest
  const isOurs = loopback.test(headers.host ?? '') && headers.origin === undefined
  if (event === 'request' && isOurs && headers['${clockHeader}'] !== undefined) {
    aheadMs = Number(headers['${clockHeader}'])
    out.writeHead(204).end()
    return true
  }
  if (isOurs) return emit.call(this, event, ...rest)
  if (event === 'upgrade') out.destroy()
  else {
    const error = { code: -32000, message: 'Only programs of this machine are served here; pages use the gateway.' }
    out.writeHead(403, { 'content-type': 'application/json', connection: 'close' })
    out.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
  }
  return true
}
`

export const preload = `data:text/javascript,${encodeURIComponent(source)}`
