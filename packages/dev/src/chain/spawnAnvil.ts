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
    /** Address on loopback to listen on. Default `127.0.0.1`. */
    host?: string | undefined
    chainId: number
    /** State to begin with; an empty chain without. */
    loadState?: string | undefined
    log?: ((line: string) => void) | undefined
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = startChild.ReturnType & { url: string }
}

/** Starts anvil on loopback. It mines each transaction at once. */
export async function spawnAnvil(parameters: spawnAnvil.Parameters): Promise<spawnAnvil.ReturnType> {
  const { port, host = '127.0.0.1', chainId, loadState, log, onExit } = parameters
  const url = `http://${host}:${port}`
  const child = await startChild({
    name: 'the chain',
    program: anvilProgram(),
    args: [
      ...['--host', host, '--port', String(port), '--chain-id', String(chainId), '--mnemonic', devMnemonic],
      // Pages come in by the door of `guardNode`.
      '--no-cors',
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
