import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DevError } from '../errors.ts'
import { endLeftover, forgetNode, noteNode } from './endLeftover.ts'
import { genesisState } from './genesisState.ts'
import { keepState } from './keepState.ts'
import { prepareChain } from './prepareChain.ts'
import { spawnAnvil } from './spawnAnvil.ts'
import { readStateLabel, saveState, writeWhole } from './stateFile.ts'

export declare namespace startChain {
  type Parameters = {
    /** TCP port on `host`. */
    port: number
    /** Address on loopback to listen on. Default `127.0.0.1`. */
    host?: string | undefined
    chainId: number
    /** File the chain is kept in; made from the first state when there is none. One start at a time works on it. */
    statePath: string
    /** Folder the first state is kept in, see `genesisState`. */
    cacheDir: string
    /** A line the node printed, or a warning of ours. */
    log?: ((line: string) => void) | undefined
    /** Called once when the node ends without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = {
    /** JSON-RPC of the node. */
    url: string
    pid: number
    /** Saves the chain, then ends the node. */
    close(): Promise<void>
  }
  type ErrorType = DevError
}

/**
 * Starts the dev chain where it was left: balances, contracts and receipts survive a restart, and all but the last
 * second survives the node or us being killed. Throws a `DevError`.
 */
export async function startChain(parameters: startChain.Parameters): Promise<startChain.ReturnType> {
  const { port, host, chainId, cacheDir, log, onExit } = parameters
  // Absolute: the node runs in another folder.
  const statePath = resolve(parameters.statePath)
  await endLeftover(statePath)
  const genesis = await genesisState({ cacheDir: resolve(cacheDir), chainId, log })
  const label = readStateLabel(statePath)
  if (label && label.chainId !== chainId) {
    throw new DevError(`The saved chain has id ${label.chainId}, not ${chainId}.`, {
      code: 'CONFIG_INVALID',
      hint: 'Forget it with --fresh, or choose another folder with --data-dir.',
    })
  }
  if (!label) writeWhole(statePath, readFileSync(genesis.path))

  let keeper: keepState.ReturnType | undefined
  const node = await spawnAnvil({
    port,
    host,
    chainId,
    loadState: statePath,
    log,
    onExit(error) {
      keeper?.abandon()
      onExit?.(error)
    },
  })
  try {
    noteNode(statePath, { pid: node.pid, url: node.url })
    const now = { chainId, genesis: genesis.name }
    if (label && label.genesis !== genesis.name) {
      // Saved by another version of ours: whatever has been added since is placed now.
      await prepareChain({ rpcUrl: node.url })
      await saveState({ rpcUrl: node.url, path: statePath, label: now })
    }
    const keeping = keepState({ rpcUrl: node.url, path: statePath, label: now, log })
    keeper = keeping
    return {
      url: `http://${host ?? 'localhost'}:${port}`,
      pid: node.pid,
      async close() {
        await keeping.stop()
        await node.close()
        forgetNode(statePath)
      },
    }
  } catch (error) {
    await node.close()
    throw error
  }
}
