export type StoredKey = {
  keyPair: CryptoKeyPair
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Storage of a frame's key. */
export type KeyStore = {
  /**
   * Reads and writes in one transaction. `decide` receives the stored value (undefined if none) and returns the new
   * value. The promise resolves to the new value.
   */
  change(decide: (stored: unknown) => StoredKey | undefined): Promise<StoredKey | undefined>
}

const storeName = 'keys'
const recordKey = 'embedded'
/**
 * Timeout, because some browsers never respond to a request that they refuse. The first request can take seconds under
 * load.
 */
const timeoutMs = 5000

/** Creates a key store in IndexedDB. Browsers partition the database by the top-level site. */
export function indexedKeyStore(databaseName: string): KeyStore {
  return {
    async change(decide) {
      const opening = openDatabase(databaseName)
      try {
        return await inTime(opening.then((database) => changeIn(database, decide)))
      } finally {
        opening.then(
          (database) => database.close(),
          () => undefined,
        )
      }
    },
  }
}

async function changeIn(database: IDBDatabase, decide: Parameters<KeyStore['change']>[0]) {
  const transaction = database.transaction(storeName, 'readwrite')
  const finished = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
  const [wanted] = await Promise.all([decideIn(transaction.objectStore(storeName), decide), finished])
  return wanted
}

async function decideIn(store: IDBObjectStore, decide: Parameters<KeyStore['change']>[0]) {
  const stored: unknown = await done(store.get(recordKey))
  const wanted: StoredKey | undefined = decide(stored)
  if (wanted === stored) return wanted
  if (wanted) await done(store.put(wanted, recordKey))
  else await done(store.delete(recordKey))
  return wanted
}

function openDatabase(name: string): Promise<IDBDatabase> {
  // Called inside the promise, because reading `indexedDB` throws if site data is blocked.
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName)
    done(request).then(resolve, reject)
  })
}

function done<value>(request: IDBRequest<value>): Promise<value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function inTime<value>(work: Promise<value>): Promise<value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('The store does not respond.', 'TimeoutError')), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Stores the key until the page is closed. */
export function memoryKeyStore(stored?: StoredKey): KeyStore {
  return {
    async change(decide) {
      stored = decide(stored)
      return stored
    },
  }
}
