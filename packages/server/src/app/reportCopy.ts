import { randomUUID } from 'node:crypto'
import { sdkVersion } from 'latchkey-protocol'
import { noteCopy, removeCopy } from '../store/serverCopies.ts'
import type { Readiness } from './createReadiness.ts'
import type { Stores } from './openStores.ts'
import type { Role } from './options.ts'

/** How often a copy says how it is; while something is missing sooner, but after the finding is no longer used again. */
const everyMs = { well: 30_000, lacking: 11_000 }

export declare namespace reportCopy {
  type Parameters = {
    stores: Stores
    roles: readonly Role[]
    readiness: Pick<Readiness, 'read'>
  }
}

/**
 * Has this process say every 30 seconds in the database that it runs, and how its `/readyz` is. Returns what ends that. Where it
 * cannot, its silence says so; frames alone have no database and are not heard of.
 */
export function reportCopy({ stores, roles, readiness }: reportCopy.Parameters): () => Promise<void> {
  const [store] = stores.values()
  if (!store) return async () => undefined
  const { db } = store
  const copy = { id: randomUUID(), roles: [...new Set(roles)], version: sdkVersion }
  let timer: NodeJS.Timeout | undefined
  let isEnded = false

  async function report(): Promise<void> {
    const state = await readiness.read()
    await noteCopy(db, copy, state)
    return again(Object.keys({ ...state.problems, ...state.lacking }).length > 0 ? everyMs.lacking : everyMs.well)
  }
  function again(afterMs: number): void {
    if (isEnded) return
    timer = setTimeout(() => {
      running = start()
    }, afterMs)
    timer.unref()
  }
  // What is wrong is logged by what asks the database for work.
  const start = () => report().catch(() => again(everyMs.well))
  let running = start()
  return async () => {
    isEnded = true
    clearTimeout(timer)
    await running
    await removeCopy(db, copy.id).catch(() => undefined)
  }
}
