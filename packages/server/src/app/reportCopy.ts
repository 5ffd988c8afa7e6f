import { randomUUID } from 'node:crypto'
import { sdkVersion } from 'latchkey/wire'
import { forgetCopy, noteCopy } from '../store/serverCopies.ts'
import type { Readiness } from './createReadiness.ts'
import type { Stores } from './openStores.ts'
import type { Role } from './options.ts'

/** How often a copy says how it is. */
const everyMs = 30_000

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
  const copy = { id: randomUUID(), roles: [...new Set(roles)], version: sdkVersion }
  let running: Promise<void> = Promise.resolve()

  const report = () => {
    running = running
      .then(async () => noteCopy(store.db, copy, await readiness.read()))
      // What is wrong is logged by what asks the database for work.
      .catch(() => undefined)
  }
  report()
  const timer = setInterval(report, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
    await forgetCopy(store.db, copy.id).catch(() => undefined)
  }
}
