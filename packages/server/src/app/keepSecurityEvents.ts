import type { Logger } from '../platform/observability/logger.ts'
import { listenForSecurityEvents, type SecurityOccurrence } from '../platform/observability/securityEvents.ts'
import { insertSecurityEvents, type SecurityEventRow } from '../store/securityEventRows.ts'
import type { Stores } from './openStores.ts'
import type { Role } from './options.ts'

const flushMs = 5_000
/**
 * Maximum rows per event type between two writes, so that an attack fills neither the disk nor the console's list. The
 * last row's `count` includes the events without a row.
 */
const maxRows = 5

export declare namespace keepSecurityEvents {
  type Parameters = { stores: Stores; roles: readonly Role[]; logger: Logger }
}

/**
 * Writes this process's security events to the database, a few of each type every five seconds, for the console.
 * Without a database they are only logged. Returns a function that stops writing.
 */
export function keepSecurityEvents({ stores, roles, logger }: keepSecurityEvents.Parameters): () => Promise<void> {
  const [store] = stores.values()
  if (!store) return async () => undefined
  const { db } = store
  const names = [...new Set(roles)]
  let waiting: SecurityEventRow[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    timer = undefined
    const rows = waiting
    waiting = []
    await insertSecurityEvents(db, names, rows).catch((error: unknown) =>
      logger.warn({ error }, 'Security events could not be kept'),
    )
  }
  function note({ event, code, count, fields }: SecurityOccurrence): void {
    const same = waiting.filter((row) => row.event === event)
    const last = same.at(-1)
    if (last && same.length >= maxRows) {
      last.count = count
      return
    }
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
    waiting.push({
      event,
      code: code ?? null,
      path: text('path'),
      organizationId: text('organizationId'),
      userId: text('userId'),
      requestId: text('requestId'),
      count,
      notedAt: performance.now(),
    })
    timer ??= setTimeout(flush, flushMs).unref()
  }
  const end = listenForSecurityEvents(logger, note)
  return async () => {
    end()
    clearTimeout(timer)
    await flush()
  }
}
