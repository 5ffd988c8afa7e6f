import { hex } from '@scure/base'
import { FrameError } from './FrameError.ts'

/** The key pair of this frame in this browser, to which the custody service seals what only the frame may open. */
export type EmbeddedKey = {
  /** The key, or null. One past its life is deleted. */
  read(now?: number): Promise<CryptoKeyPair | null>
  /** The key; made when there is none. Frames of several tabs at once end up with one and the same. */
  ensure(now?: number): Promise<CryptoKeyPair>
  delete(): Promise<void>
}

type Stored = { keyPair: CryptoKeyPair; expiresAt: number }

const storeName = 'keys'
const recordKey = 'embedded'
/** Life of an embedded key from its creation: 48 hours. */
export const embeddedKeyLifeMs = 172_800_000

/** Keeps the key in a database of this origin. The private half cannot be exported, not even by the frame. */
export function createEmbeddedKey(databaseName: string): EmbeddedKey {
  const read = (now = Date.now()) =>
    withStore(databaseName, async (store) => {
      const found: unknown = await done(store.get(recordKey))
      if (isLive(found, now)) return found.keyPair
      if (found !== undefined) await done(store.delete(recordKey))
      return null
    })
  return {
    read,
    async ensure(now = Date.now()) {
      const existing = await read(now)
      if (existing) return existing
      // A transaction does not wait for a key to be made, so the key is made first and put only if still needed.
      const keyPair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
      return withStore(databaseName, async (store) => {
        const found: unknown = await done(store.get(recordKey))
        if (isLive(found, now)) return found.keyPair
        await done(store.put({ keyPair, expiresAt: now + embeddedKeyLifeMs } satisfies Stored, recordKey))
        return keyPair
      })
    },
    async delete() {
      await withStore(databaseName, (store) => done(store.delete(recordKey)))
    },
  }
}

/** Uncompressed point, 130 hex digits. */
export async function publicKeyText(keyPair: CryptoKeyPair): Promise<string> {
  return hex.encode(new Uint8Array(await crypto.subtle.exportKey('raw', keyPair.publicKey)))
}

function isLive(value: unknown, now: number): value is Stored {
  if (typeof value !== 'object' || value === null) return false
  const { keyPair, expiresAt } = value as Partial<Stored>
  return typeof expiresAt === 'number' && expiresAt > now && keyPair?.privateKey instanceof CryptoKey
}

async function withStore<value>(databaseName: string, use: (store: IDBObjectStore) => Promise<value>): Promise<value> {
  const database = await openDatabase(databaseName)
  try {
    const transaction = database.transaction(storeName, 'readwrite')
    const finished = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    const [value] = await Promise.all([use(transaction.objectStore(storeName)), finished])
    return value
  } finally {
    database.close()
  }
}

async function openDatabase(databaseName: string): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(databaseName, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName)
    return await done(request)
  } catch (cause) {
    throw new FrameError('this browser refuses to store keys for this frame: allow site data for it', { cause })
  }
}

function done<value>(request: IDBRequest<value>): Promise<value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
