import type { DeviceKeyPort } from './platform.ts'

const databaseName = 'latchkey'
const storeName = 'device-keys'

/** A database blocked by another tab, or a stuck disk, may never respond. */
const timeoutMs = 5_000

type Entry = { name: string; pair: CryptoKeyPair; expiresAtMs: number }

/**
 * Stores key pairs in the page's IndexedDB. The private keys are non-extractable: the browser signs with them, but no
 * script of this page or of an extension can read them.
 */
export const deviceKeyStore: DeviceKeyPort = {
  async put(name, pair, expiresAtMs) {
    await inStore('readwrite', async (store) => {
      const entries = (await done(store.getAll())) as Entry[]
      for (const entry of entries) if (entry.expiresAtMs <= Date.now()) store.delete(entry.name)
      await done(store.put({ name, pair, expiresAtMs } satisfies Entry))
    })
  },
  async get(name) {
    const entry = await inStore('readonly', (store) => done(store.get(name)) as Promise<Entry | undefined>)
    return entry?.pair ?? null
  },
  async remove(name) {
    await inStore('readwrite', (store) => done(store.delete(name)))
  },
}

async function inStore<result>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => Promise<result>) {
  const opening = indexedDB.open(databaseName, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: 'name' })
  const database = await done(opening).catch((error: unknown) => {
    opening.onsuccess = () => opening.result.close()
    throw error
  })
  try {
    return await use(database.transaction(storeName, mode).objectStore(storeName))
  } finally {
    database.close()
  }
}

function done<value>(request: IDBRequest<value>): Promise<value> {
  return new Promise<value>((resolve, reject) => {
    const late = setTimeout(() => reject(new DOMException('the database does not respond', 'TimeoutError')), timeoutMs)
    const settle = (end: () => void) => () => {
      clearTimeout(late)
      end()
    }
    request.onsuccess = settle(() => resolve(request.result))
    request.onerror = settle(() =>
      reject(request.error ?? new DOMException('the database gave no reason', 'UnknownError')),
    )
  })
}
