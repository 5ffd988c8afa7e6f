import { BaseError, readMessage } from '../core/errors/BaseError.ts'
import type { OutboxPort, OutboxRecord, Turn } from '../core/outbox/OutboxPort.ts'

const databaseName = 'latchkey-outbox'
const storeName = 'operations'

/** A database blocked by another tab, or a stuck disk, may never respond. */
const timeoutMs = 5_000
/** Maximum age of operation records. Removes records of accounts that were never used again in this browser. */
const maxAgeMs = 30 * 24 * 3_600_000

/**
 * Creates an outbox for browsers: records in IndexedDB, locks by Web Locks (`navigator.locks`), change events by a
 * BroadcastChannel. All tabs of the origin share it. The browser releases the locks of a closed or crashed tab.
 *
 * @example
 * ```ts
 * import { createSmartAccountClient, indexedDbOutbox } from 'latchkey'
 * import { account, bundlerTransport } from './config.ts'
 *
 * const outbox = { store: indexedDbOutbox() }
 * const client = createSmartAccountClient({ account, transport: bundlerTransport, outbox })
 * console.log(await client.listOperations())
 * ```
 */
export function indexedDbOutbox(): OutboxPort {
  let opening: Promise<IDBDatabase> | undefined
  const reset = () => {
    opening = undefined
  }
  const open = () => {
    opening ??= openDatabase(reset).catch((cause: unknown) => {
      reset()
      throw unavailable(cause)
    })
    return opening
  }
  const changes = createEventStream()
  return {
    open: async () => {
      if (!globalThis.navigator?.locks) throw unavailable('navigator.locks is missing')
      await open()
    },
    list: async (owner) =>
      transact(await open(), 'readonly', (store, done) => {
        const reading = store.getAll(IDBKeyRange.bound([owner], [owner, []]))
        reading.onsuccess = () => done(reading.result as OutboxRecord[])
      }),
    async add(record) {
      await transact<void>(await open(), 'readwrite', (store) => void store.put(record))
      changes.send(record.owner)
    },
    async update(owner, id, change) {
      let isChanged = false
      const kept = await transact<OutboxRecord | undefined>(await open(), 'readwrite', (store, done) => {
        const reading = store.get([owner, id])
        reading.onsuccess = () => {
          const known = reading.result as OutboxRecord | undefined
          const next = known && change(known)
          isChanged = next !== undefined
          if (next) store.put(next)
          else if (next === null) store.delete([owner, id])
          done(next === undefined ? known : (next ?? undefined))
        }
      })
      if (isChanged) changes.send(owner)
      return kept
    },
    hold: (name, waitMs, work) => takeTurn(name, waitMs, work),
    holdIfFree: async (name, work) =>
      navigator.locks.request(name, { ifAvailable: true }, async (lock) => (lock ? work() : undefined)),
    onChange: changes.listen,
  }
}

function openDatabase(onClose: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1)
    const late = setTimeout(() => {
      request.onsuccess = () => request.result.close()
      reject(new DOMException('the database does not respond', 'TimeoutError'))
    }, timeoutMs)
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(storeName, { keyPath: ['owner', 'id'] })
      store.createIndex('changedAtMs', 'changedAtMs')
    }
    request.onerror = () => {
      clearTimeout(late)
      reject(request.error)
    }
    request.onsuccess = () => {
      clearTimeout(late)
      const database = request.result
      // An open connection would block a newer version of the app, or a user who clears the site's data.
      database.onversionchange = () => {
        database.close()
        onClose()
      }
      database.onclose = onClose
      removeOld(database)
      resolve(database)
    }
  })
}

function removeOld(database: IDBDatabase): void {
  const store = database.transaction(storeName, 'readwrite').objectStore(storeName)
  const reading = store.index('changedAtMs').openKeyCursor(IDBKeyRange.upperBound(Date.now() - maxAgeMs))
  reading.onsuccess = () => {
    if (!reading.result) return
    store.delete(reading.result.primaryKey)
    reading.result.continue()
  }
}

/** Resolves once the browser has written the transaction; aborts it at the timeout, so that nothing is stored. */
function transact<result>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore, done: (value: result) => void) => void,
): Promise<result> {
  return new Promise<result>((resolve, reject) => {
    const transaction = begin(database, mode)
    if (!transaction) return reject(toStorageError(null))
    let value: result | undefined
    const late = setTimeout(() => abort(transaction), timeoutMs)
    transaction.oncomplete = () => {
      clearTimeout(late)
      resolve(value as result)
    }
    transaction.onabort = () => {
      clearTimeout(late)
      reject(toStorageError(transaction.error))
    }
    use(transaction.objectStore(storeName), (found) => {
      value = found
    })
  })
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // `abort` throws if the transaction has ended or is committing. `complete` or `abort` is dispatched anyway (Indexed
    // Database API § 4.9).
  }
}

/** Begins a transaction. Returns undefined if the browser has closed the database; the next call reopens it. */
function begin(database: IDBDatabase, mode: IDBTransactionMode): IDBTransaction | undefined {
  try {
    // `strict`, so that a power failure does not lose a sent operation.
    return database.transaction(storeName, mode, { durability: 'strict' })
  } catch {
    return undefined
  }
}

/**
 * Acquires a lock by name. After `waitMs`, takes the lock over from its holder. The holder's work continues, but its
 * `isHeld` returns false.
 */
async function takeTurn<result>(name: string, waitMs: number, work: (turn: Turn) => Promise<result>): Promise<result> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), waitMs)
  try {
    return await request(name, { signal: late.signal }, () => clearTimeout(timer), work)
  } catch (error) {
    if (error !== notGranted) throw error
    return request(name, { steal: true }, () => {}, work)
  } finally {
    clearTimeout(timer)
  }
}

const notGranted = Symbol('notGranted')

function request<result>(
  name: string,
  options: LockOptions,
  onGranted: () => void,
  work: (turn: Turn) => Promise<result>,
): Promise<result> {
  return new Promise<result>((resolve, reject) => {
    let isHeld = false
    const held = navigator.locks.request(name, options, () => {
      isHeld = true
      onGranted()
      return work({ isHeld: () => isHeld }).then(resolve, reject)
    })
    // A rejection before the grant is the timeout. A later rejection means that another caller took over the lock.
    held.catch(() => {
      if (!isHeld) reject(notGranted)
      isHeld = false
    })
  })
}

function createEventStream(): { send(owner: string): void; listen(listener: (owner: string) => void): () => void } {
  const listeners = new Set<(owner: string) => void>()
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(databaseName)
  const pass = (owner: string) => {
    for (const listener of listeners) listener(owner)
  }
  if (channel) channel.onmessage = ({ data }) => typeof data === 'string' && pass(data)
  return {
    send(owner) {
      pass(owner)
      channel?.postMessage(owner)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function unavailable(cause: unknown): BaseError {
  return new BaseError('Operations are not stored in this browser: it has no storage for them, or denies access.', {
    code: 'OUTBOX_UNAVAILABLE',
    metaMessages: ['Sending works, but operations pending when the page closes are no longer tracked.'],
    details: readMessage(cause) ?? String(cause),
    cause,
  })
}

function toStorageError(cause: DOMException | null): BaseError {
  if (cause?.name === 'QuotaExceededError') {
    return new BaseError("This browser's storage is full. Nothing was sent.", {
      code: 'STORAGE_FULL',
      metaMessages: ['Free space on this device, or dismiss operations that have ended, and send it again.'],
      cause,
    })
  }
  return new BaseError('The operation could not be written to the storage of this browser. Nothing was sent.', {
    code: 'STORAGE_FAILED',
    metaMessages: ['Try again. If it fails again, close other tabs of this page.'],
    cause,
  })
}
