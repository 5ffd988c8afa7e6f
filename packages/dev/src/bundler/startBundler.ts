import type { Address } from 'viem'
import { devAccountOf } from '../chain/devAccounts.ts'
import { rpc } from '../chain/rpc.ts'
import { startChild } from '../chain/startChild.ts'
import type { DevError } from '../errors.ts'
import { altoProgram } from './altoProgram.ts'
import { preload } from './preload.ts'

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
    /** Bound of the start in milliseconds. Default 60 000: it loads some thousand files, slowly on a busy machine. */
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
    channel: true,
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
