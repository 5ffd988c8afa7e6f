import { readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { DevError } from '../errors.ts'
import { isAlive, readCommand, stopProcess } from '../processes/processes.ts'
import { keepState, readStateLabel, saveState, writeWhole } from './chainState.ts'
import { genesisState } from './genesisState.ts'
import { prepareChain } from './prepareChain.ts'
import { spawnAnvil } from './spawnAnvil.ts'

export declare namespace startChain {
  type Parameters = {
    /** TCP port on `host`. */
    port: number
    /** Loopback address to listen on. @default `127.0.0.1` */
    host?: string | undefined
    chainId: number
    /**
     * State file of the chain, created from the genesis state if missing. Only one devnet at a time may use the file.
     */
    statePath: string
    /** Cache folder of genesis state and third-party contracts; see `genesisState`. */
    cacheDir: string
    /** @default anvil's latest */
    hardfork?: string | undefined
    /** Called with each line that the node prints, and with warnings. */
    log?: ((line: string) => void) | undefined
    /** Called once if the node exits without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = {
    /** JSON-RPC of the node. */
    url: string
    pid: number
    /** Saves the chain, then stops the node. */
    close(): Promise<void>
  }
  type ErrorType = DevError
}

/**
 * Starts the dev chain from its saved state. Balances, contracts and receipts survive a restart. If the node or the
 * process is killed, at most the last second is lost.
 *
 * @throws `CONFIG_INVALID`, `PORT_TAKEN`, `CHILD_MISSING`, `CHILD_EXITED`, `TIMEOUT`
 */
export async function startChain(parameters: startChain.Parameters): Promise<startChain.ReturnType> {
  const { port, host, chainId, cacheDir, hardfork, log, onExit } = parameters
  // Absolute, because the node runs in another folder.
  const statePath = resolve(parameters.statePath)
  await endLeftover(statePath)
  const genesis = await genesisState({ cacheDir: resolve(cacheDir), chainId, log })
  const label = readStateLabel(statePath)
  if (label && label.chainId !== chainId) {
    throw new DevError(`The saved chain has id ${label.chainId}, not ${chainId}.`, {
      code: 'CONFIG_INVALID',
      hint: 'Delete it with --fresh, or choose another folder with --data-dir.',
    })
  }
  if (!label) writeWhole(statePath, readFileSync(genesis.path))

  let keeper: keepState.ReturnType | undefined
  const node = await spawnAnvil({
    port,
    host,
    chainId,
    loadState: statePath,
    hardfork,
    log,
    onExit(error) {
      keeper?.abandon()
      onExit?.(error)
    },
  })
  try {
    writeNote(statePath, { pid: node.pid, url: node.url })
    const now = { chainId, genesis: genesis.name }
    if (label && label.genesis !== genesis.name) {
      // A state saved by another version may lack newer contracts.
      await prepareChain({ rpcUrl: node.url, cacheDir })
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
        removeNote(statePath)
      },
    }
  } catch (error) {
    await node.close()
    throw error
  }
}

/** Path of the file that records which node uses the state. */
const notePath = (statePath: string): string => `${statePath}.node`

type Note = { pid: number; url: string }

/** Records the node that uses a state, so that the next start can find it if this process is killed. */
export function writeNote(statePath: string, node: Note): void {
  writeWhole(notePath(statePath), JSON.stringify(node))
}

export function removeNote(statePath: string): void {
  rmSync(notePath(statePath), { force: true })
}

/**
 * Ends the node and its guard process if a killed process left them running on this state, and saves the node's state.
 * Verifies that the recorded process still has the state's path in its command line. The caller holds the devnet's
 * lock.
 */
export async function endLeftover(statePath: string): Promise<void> {
  const note = readNote(statePath)
  if (note && isAlive(note.pid) && readCommand(note.pid).includes(statePath)) {
    const label = readStateLabel(statePath)
    if (label) await saveState({ rpcUrl: note.url, path: statePath, label }).catch(() => undefined)
    const signals = [
      { signal: 'SIGTERM', waitMs: 3_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ] as const
    if (!(await stopProcess({ pid: note.pid, signals }))) {
      throw new DevError(`A chain (process ${note.pid}) still runs on ${statePath} and cannot be stopped.`, {
        code: 'CONFIG_INVALID',
        hint: 'Stop it manually, or choose another folder with --data-dir.',
      })
    }
  }
  removeNote(statePath)
}

function readNote(statePath: string): Note | undefined {
  try {
    const { pid, url } = JSON.parse(readFileSync(notePath(statePath), 'utf8')) as Partial<Note>
    if (typeof url !== 'string' || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return undefined
    return { pid, url }
  } catch {
    return undefined
  }
}
