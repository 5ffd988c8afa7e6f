import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Hex, hexToNumber } from 'viem'
import { DevError } from '../errors.ts'
import { startChild } from '../processes/startChild.ts'
import { devMnemonic } from './devAccounts.ts'
import { rpc } from './rpc.ts'

export declare namespace spawnAnvil {
  type Parameters = {
    port: number
    /** Loopback address to listen on. @default `127.0.0.1` */
    host?: string | undefined
    chainId: number
    /** State to load. Without it, the chain is empty. */
    loadState?: string | undefined
    /** @default anvil's latest */
    hardfork?: string | undefined
    log?: ((line: string) => void) | undefined
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = startChild.ReturnType & { url: string }
}

/** Starts anvil on loopback. anvil mines each transaction immediately. */
export async function spawnAnvil(parameters: spawnAnvil.Parameters): Promise<spawnAnvil.ReturnType> {
  const { port, host = '127.0.0.1', chainId, loadState, hardfork, log, onExit } = parameters
  const url = `http://${host}:${port}`
  const child = await startChild({
    name: 'the chain',
    program: anvilProgram(),
    args: [
      ...['--host', host, '--port', String(port), '--chain-id', String(chainId), '--mnemonic', devMnemonic],
      // Pages connect through `guardNode`.
      '--no-cors',
      ...(loadState === undefined ? [] : ['--load-state', loadState]),
      ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
      '--quiet',
    ],
    port,
    timeoutMs: 30_000,
    log,
    onExit,
    isReady: async () => hexToNumber(await rpc<Hex>({ url, method: 'eth_chainId', timeoutMs: 2_000 })) === chainId,
  })
  return { url, pid: child.pid, close: child.close }
}

/**
 * Returns the path of anvil's binary. npm's `anvil` command is a Node script, which takes another 150 ms to start and
 * would have to forward signals.
 */
export function anvilProgram(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`
  try {
    // The platform packages are optional dependencies of `@foundry-rs/anvil`, so they are resolved from there.
    const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    const manifest = createRequire(wrapper).resolve(`${name}/package.json`)
    const program = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
    if (existsSync(program)) return program
  } catch {}
  throw new DevError(`The test node anvil is not installed for ${process.platform} ${process.arch} (${name}).`, {
    code: 'CHILD_MISSING',
    hint: 'Run `npm install` without `--omit=optional`.',
  })
}
