import { randomUUID } from 'node:crypto'
import { productVersion } from 'latchkey-protocol'
import { noteCopy, removeCopy } from '../store/serverCopies.ts'
import type { Readiness } from './createReadiness.ts'
import type { Stores } from './openStores.ts'
import type { Role } from './options.ts'

/**
 * Milliseconds between reports: shorter while a dependency is down, but never shorter than the cache time of check
 * results.
 */
const everyMs = { well: 30_000, lacking: 11_000 }

export declare namespace reportCopy {
  type Parameters = {
    stores: Stores
    roles: readonly Role[]
    readiness: Pick<Readiness, 'read'>
  }
}

/**
 * Reports this process and its `/readyz` result to the database every 30 seconds. Returns a function that stops
 * reporting. A missing report means a failure. A server with only frames has no database and does not report.
 */
export function reportCopy({ stores, roles, readiness }: reportCopy.Parameters): () => Promise<void> {
  const [store] = stores.values()
  if (!store) return async () => undefined
  const { db } = store
  const copy = { id: randomUUID(), roles: [...new Set(roles)], version: productVersion }
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
  // Does not log a failed report, since other work logs the database failure.
  const start = () => report().catch(() => again(everyMs.well))
  let running = start()
  return async () => {
    isEnded = true
    clearTimeout(timer)
    await running
    await removeCopy(db, copy.id).catch(() => undefined)
  }
}
