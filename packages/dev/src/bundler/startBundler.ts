import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Address } from 'viem'
import { devAccountOf } from '../chain/devAccounts.ts'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import { startChild } from '../processes/startChild.ts'

export declare namespace startBundler {
  type Parameters = {
    /** TCP port on 127.0.0.1. */
    port: number
    /** A node where every entry point has code and accounts 6 and 7 of `devAccounts` have ether. */
    nodeUrl: string
    entryPoints: readonly Address[]
    /** A line the bundler printed. */
    log?: ((line: string) => void) | undefined
    /** Called once when the bundler ends without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
    /** Bound of the start in milliseconds. @default 60_000: it loads some thousand files, slowly on a busy machine */
    timeoutMs?: number | undefined
  }
  type ReturnType = {
    /** JSON-RPC: the ERC-4337 methods and eth_chainId. Other methods are the node's. */
    url: string
    pid: number
    close(): Promise<void>
  }
  type ErrorType = DevError
}

/**
 * Starts the bundler alto as a child process, with settings that bundle a user operation within a tenth of a second.
 * Validation rules of ERC-7562 are not enforced (`--safe-mode false`): alto's tracers do not run on anvil.
 */
export async function startBundler(parameters: startBundler.Parameters): Promise<startBundler.ReturnType> {
  const { port, nodeUrl, log, onExit, timeoutMs = 60_000 } = parameters
  const url = `http://127.0.0.1:${port}`
  const child = await startChild({
    name: 'the bundler',
    program: process.execPath,
    args: ['--import', preload, altoProgram().script, ...altoArguments(parameters)],
    port,
    timeoutMs,
    log,
    onExit,
    isReady: async () => {
      const chainId = await rpc<string>({ url, method: 'eth_chainId', timeoutMs: 2_000 })
      return chainId === (await rpc<string>({ url: nodeUrl, method: 'eth_chainId', timeoutMs: 2_000 }))
    },
  })
  return { url: `http://localhost:${port}`, pid: child.pid, close: () => child.close() }
}

function altoArguments({ port, nodeUrl, entryPoints }: startBundler.Parameters): string[] {
  const options = {
    entrypoints: entryPoints.join(','),
    'rpc-url': nodeUrl,
    port,
    'utility-private-key': devAccountOf.bundlerUtility.privateKey,
    'executor-private-keys': devAccountOf.bundlerExecutor.privateKey,
    'safe-mode': false,
    // Milliseconds. The chain mines at once, so there is no block to wait for.
    'block-time': 100,
    'min-bundle-interval': 10,
    'max-bundle-interval': 50,
    'log-level': 'error',
  }
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
}

export declare namespace altoProgram {
  type ReturnType = {
    /** Script to run with Node. */
    script: string
    /** The package's package.json. */
    manifest: string
  }
}

/** Where the bundler's command is. It is run as a program of its own and never imported: it is under the GPL. */
export function altoProgram(): altoProgram.ReturnType {
  try {
    const root = dirname(createRequire(import.meta.url).resolve('@pimlico/alto'))
    const program = { script: join(root, 'cli', 'alto.js'), manifest: join(root, '..', 'package.json') }
    if (existsSync(program.script) && existsSync(program.manifest)) return program
  } catch {
    // Said below.
  }
  throw new DevError('The bundler alto is not installed.', { code: 'CHILD_MISSING', hint: 'Run `npm install` again.' })
}

/**
 * Runs inside the bundler's process before it, as a module of its own: the bundler would listen on every interface,
 * look neither at `Host` nor at `Origin`, and has no setting for it. Pages reach it through the gateway, so a request with an `Origin` is none of ours.
 */
const source = `
import http from 'node:http'
import net from 'node:net'
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (options, ...rest) {
  const local = typeof options === 'object' && options !== null && 'port' in options
  return listen.call(this, local ? { ...options, host: '127.0.0.1' } : options, ...rest)
}
const loopback = /^(localhost|127[.]0[.]0[.]1|[[]::1[]]|[^:@/]+[.]localhost)(:[0-9]+)?$/i
const emit = http.Server.prototype.emit
http.Server.prototype.emit = function (event, ...rest) {
  if (event !== 'request' && event !== 'upgrade') return emit.call(this, event, ...rest)
  const [{ headers }, out] = rest
  if (loopback.test(headers.host ?? '') && headers.origin === undefined) return emit.call(this, event, ...rest)
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
