import type { KeyStore, StoredKey } from './keyStore.ts'

const storeName = 'keys'
const recordKey = 'embedded'
/** Some browsers leave a request to a store they refuse without any answer; a busy one takes seconds for the first. */
const answerWithinMs = 5000

/** Keeps the key in a database of the frame's origin, which browsers keep apart for each site around the frame. */
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
  const kept: unknown = await done(store.get(recordKey))
  const wanted: StoredKey | undefined = decide(kept)
  if (wanted === kept) return wanted
  if (wanted) await done(store.put(wanted, recordKey))
  else await done(store.delete(recordKey))
  return wanted
}

function openDatabase(name: string): Promise<IDBDatabase> {
  // `indexedDB` itself throws where site data are forbidden: inside, so that it becomes a rejection.
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
    timer = setTimeout(() => reject(new DOMException('The store does not answer.', 'TimeoutError')), answerWithinMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
