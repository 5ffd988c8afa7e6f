import type { Hex } from 'viem'
import { rpc } from './rpc.ts'
import { type StateLabel, saveState } from './stateFile.ts'

export declare namespace keepState {
  type Parameters = {
    rpcUrl: string
    path: string
    label: StateLabel
    log?: ((line: string) => void) | undefined
  }
  type ReturnType = {
    /** Saves a last time and stops. */
    stop(): Promise<void>
    /** Stops without saving: the node is gone. */
    abandon(): void
  }
}

/** How often it looks for new blocks. A node that is killed loses at most what came after the last look. */
const intervalMs = 1_000

/** Saves the chain whenever it has grown. */
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
    // A long history takes long to write: never spend more than a tenth of the time on it.
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
      // Also what makes no block, such as a balance set by hand.
      await saveState(parameters).catch((error: Error) => log?.(`chain state not saved: ${error.message}`))
    },
  }
}
