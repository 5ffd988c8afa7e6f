import type { Hex } from 'viem'
import { hexToNumber } from 'viem'
import type { DevError } from '../errors.ts'
import { anvilProgram } from './anvilProgram.ts'
import { devMnemonic } from './devAccounts.ts'
import { rpc } from './rpc.ts'
import { startChild } from './startChild.ts'

export declare namespace spawnAnvil {
  type Parameters = {
    port: number
    chainId: number
    /** State to begin with; an empty chain without. */
    loadState?: string | undefined
    /** The one page origin that may read answers in a browser. None without. */
    allowOrigin?: string | undefined
    log?: ((line: string) => void) | undefined
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = startChild.ReturnType & { url: string }
}

/** Starts anvil on loopback. It mines each transaction at once. */
export async function spawnAnvil(parameters: spawnAnvil.Parameters): Promise<spawnAnvil.ReturnType> {
  const { port, chainId, loadState, allowOrigin, log, onExit } = parameters
  const url = `http://127.0.0.1:${port}`
  const child = await startChild({
    name: 'the chain',
    program: anvilProgram(),
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--mnemonic', devMnemonic],
      ...(allowOrigin === undefined ? ['--no-cors'] : ['--allow-origin', allowOrigin]),
      ...(loadState === undefined ? [] : ['--load-state', loadState]),
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
