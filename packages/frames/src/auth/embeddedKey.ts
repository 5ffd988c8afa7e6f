import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'

/** The key pair to which the custody service seals credentials. The private half cannot be exported. */
export type EmbeddedKey = { keyPair: CryptoKeyPair; expiresAt: number }

const databaseName = 'latchkey-auth-frame'
const storeName = 'keys'
const recordKey = 'embedded'
/** Life of an embedded key from its creation: 48 hours. */
export const embeddedKeyLifeMs = 172_800_000

/** The embedded key, or null. One past its life is deleted. */
export async function readEmbeddedKey(now = Date.now()): Promise<CryptoKeyPair | null> {
  return withStore('readwrite', async (store) => {
    const found: unknown = await done(store.get(recordKey))
    if (isLive(found, now)) return found.keyPair
    if (found !== undefined) await done(store.delete(recordKey))
    return null
  })
}

/** The embedded key; made when there is none. Frames of several tabs at once end up with one and the same. */
export async function ensureEmbeddedKey(now = Date.now()): Promise<CryptoKeyPair> {
  const existing = await readEmbeddedKey(now)
  if (existing) return existing
  // A transaction does not wait for a key to be made, so the key is made first and put only if still needed.
  const keyPair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
  return withStore('readwrite', async (store) => {
    const found: unknown = await done(store.get(recordKey))
    if (isLive(found, now)) return found.keyPair
    await done(store.put({ keyPair, expiresAt: now + embeddedKeyLifeMs } satisfies EmbeddedKey, recordKey))
    return keyPair
  })
}

export async function deleteEmbeddedKey(): Promise<void> {
  await withStore('readwrite', (store) => done(store.delete(recordKey)))
}

/** Uncompressed point, 130 hex digits. */
export async function publicKeyText(keyPair: CryptoKeyPair): Promise<string> {
  return hex.encode(new Uint8Array(await crypto.subtle.exportKey('raw', keyPair.publicKey)))
}

function isLive(value: unknown, now: number): value is EmbeddedKey {
  if (typeof value !== 'object' || value === null) return false
  const { keyPair, expiresAt } = value as Partial<EmbeddedKey>
  return typeof expiresAt === 'number' && expiresAt > now && keyPair?.privateKey instanceof CryptoKey
}

async function withStore<value>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => Promise<value>,
): Promise<value> {
  const database = await openDatabase()
  try {
    const transaction = database.transaction(storeName, mode)
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

async function openDatabase(): Promise<IDBDatabase> {
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
