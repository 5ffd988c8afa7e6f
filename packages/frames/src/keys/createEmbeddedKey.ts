import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'
import { indexedKeyStore, type KeyStore, memoryKeyStore, type StoredKey } from './keyStore.ts'

/** The key pair of this frame in this browser, to which the custody service seals what only the frame may open. */
export type EmbeddedKey = {
  /** The key, or null. An expired one is deleted. */
  read(): Promise<CryptoKeyPair | null>
  /** The key; created when there is none. Frames of several tabs end up with the same one. */
  ensure(): Promise<CryptoKeyPair>
  delete(): Promise<void>
  /** False once the browser has refused to store the key: then it lasts until the page is closed or reloaded. */
  isKept(): boolean
}

/** Lifetime of an embedded key: 48 hours. */
const lifeMs = 172_800_000

/** Stores the key in this browser, or in memory where that is refused. Its private half cannot be exported. */
export function createEmbeddedKey(databaseName: string): EmbeddedKey {
  const store = indexedKeyStore(databaseName)
  const { change, isKept } = withFallback(store)
  const changed = async (decide: (live: StoredKey | undefined) => StoredKey | undefined) =>
    (await change((found) => decide(isLive(found) ? found : undefined)))?.keyPair ?? null
  const read = () => changed((live) => live)
  return {
    read,
    isKept,
    async ensure() {
      const existing = await read()
      if (existing) return existing
      // A transaction does not wait for a key to be generated: it is generated first, and stored only if still needed.
      const made = await makeKey()
      return (await changed((live) => live ?? made)) ?? made.keyPair
    },
    async delete() {
      await changed(() => undefined)
      // A key stored before the browser refused must not come back when the page is reloaded.
      if (!isKept()) await store.change(() => undefined).catch(() => undefined)
    },
  }
}

/** Uncompressed point, 130 hex digits. */
export async function publicKeyText(keyPair: CryptoKeyPair): Promise<string> {
  return hex.encode(new Uint8Array(await crypto.subtle.exportKey('raw', keyPair.publicKey)))
}

async function makeKey(): Promise<StoredKey> {
  if (!globalThis.crypto?.subtle) {
    throw new FrameError(
      'this browser gives keys to secure pages only: serve the frame and every page around it by https',
    )
  }
  const keyPair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
  return { keyPair, expiresAt: Date.now() + lifeMs }
}

function isLive(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false
  const { keyPair, expiresAt } = value as Partial<StoredKey>
  return typeof expiresAt === 'number' && expiresAt > Date.now() && keyPair?.privateKey instanceof CryptoKey
}

/** The first failure of the browser's store moves the last stored key to memory, for good. */
function withFallback(store: KeyStore): KeyStore & Pick<EmbeddedKey, 'isKept'> {
  let memory: KeyStore | undefined
  let last: StoredKey | undefined
  return {
    isKept: () => memory === undefined,
    async change(decide) {
      if (memory) return memory.change(decide)
      try {
        last = await store.change(decide)
        return last
      } catch {
        console.warn(
          'This browser keeps no data for this frame: its key lasts until the page is closed or loaded anew.',
        )
        memory = memoryKeyStore(last)
        return memory.change(decide)
      }
    },
  }
}
