import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Hex } from 'viem'
import { DevError } from '../errors.ts'
import { rpc } from './rpc.ts'

export type StateLabel = {
  chainId: number
  /** Name of the genesis state; see `genesisState`. */
  genesis: string
}

/** Beginning of a state file. anvil ignores the additional key with the label. */
const opening = '{"latchkey":'

/**
 * Saves the chain's state to a file for `anvil --load-state`. Writes a temporary file and renames it, so that a crash
 * leaves no partial file. (anvil's own `--state` rewrites the file in place.)
 */
export async function saveState(parameters: { rpcUrl: string; path: string; label: StateLabel }): Promise<void> {
  const { rpcUrl, path, label } = parameters
  const dump = await rpc<Hex>({ url: rpcUrl, method: 'anvil_dumpState', timeoutMs: 60_000 })
  const state = (await promisify(gunzip)(Buffer.from(dump.slice(2), 'hex'))).toString('utf8')
  if (!state.startsWith('{"')) {
    throw new DevError('The chain returned a state that is not a JSON object.', { code: 'RESPONSE_INVALID' })
  }
  writeWhole(path, `${opening}${JSON.stringify(label)},${state.slice(1)}`)
}

/**
 * Returns the label of a saved state; undefined if the file does not exist.
 *
 * @throws `CONFIG_INVALID` if the file was not written by `saveState`
 */
export function readStateLabel(path: string): StateLabel | undefined {
  const head = readHead(path)
  if (head === undefined) return undefined
  const label = head.startsWith(opening) ? parseLabel(head.slice(opening.length, head.indexOf('}') + 1)) : undefined
  if (label) return label
  throw new DevError(`${path} is not a saved devnet chain.`, {
    code: 'CONFIG_INVALID',
    hint: 'Delete it with --fresh, or choose another folder with --data-dir.',
  })
}

function parseLabel(text: string): StateLabel | undefined {
  try {
    const { chainId, genesis } = JSON.parse(text) as Partial<StateLabel>
    return typeof chainId === 'number' && typeof genesis === 'string' ? { chainId, genesis } : undefined
  } catch {
    return undefined
  }
}

function readHead(path: string): string | undefined {
  const head = Buffer.alloc(200)
  try {
    const file = openSync(path, 'r')
    try {
      return head.toString('utf8', 0, readSync(file, head))
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new DevError(`${path} cannot be read.`, { code: 'CONFIG_INVALID', cause })
  }
}

export function writeWhole(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${process.pid}`
  try {
    writeFileSync(fresh, content)
    renameSync(fresh, path)
  } finally {
    rmSync(fresh, { force: true })
  }
}

export declare namespace keepState {
  type Parameters = {
    rpcUrl: string
    path: string
    label: StateLabel
    log?: ((line: string) => void) | undefined
  }
  type ReturnType = {
    /** Saves the state once more, then stops saving. */
    stop(): Promise<void>
    /** Stops without saving, because the node has exited. */
    abandon(): void
  }
}

/** Milliseconds between checks for new blocks. If the node is killed, the blocks since the last check are lost. */
const intervalMs = 1_000

/** Saves the chain's state whenever there are new blocks. */
export function keepState(parameters: keepState.Parameters): keepState.ReturnType {
  const { rpcUrl, log } = parameters
  let saved: Hex | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const saveIfGrown = async (): Promise<void> => {
    const block = await rpc<Hex>({ url: rpcUrl, method: 'eth_blockNumber', timeoutMs: 5_000 })
    if (block === saved) return
    await saveState(parameters)
    saved = block
  }
  const look = async (): Promise<void> => {
    const started = performance.now()
    try {
      await saveIfGrown()
    } catch (error) {
      if (!stopped) log?.(`chain state not saved: ${error instanceof Error ? error.message : String(error)}`)
    }
    // Saving a long history is slow. The wait limits saving to a tenth of the time.
    if (!stopped) schedule(Math.max(intervalMs, 10 * (performance.now() - started)))
  }
  let running: Promise<void> = Promise.resolve()
  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      running = look()
    }, delayMs)
    timer.unref()
  }
  schedule(intervalMs)

  const abandon = (): void => {
    stopped = true
    clearTimeout(timer)
  }
  return {
    abandon,
    async stop() {
      if (stopped) return
      abandon()
      await running
      // Saves changes without a block, too, such as a balance set with `anvil_setBalance`.
      await saveState(parameters).catch((error: Error) => log?.(`chain state not saved: ${error.message}`))
    },
  }
}
