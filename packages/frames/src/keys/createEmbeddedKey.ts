import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'
import { indexedKeyStore, type KeyStore, memoryKeyStore, type StoredKey } from './keyStore.ts'

/** Key pair of the frame in this browser. Custody encrypts secrets to it that only the frame may decrypt. */
export type EmbeddedKey = {
  /** Returns the key; null if there is none. Deletes an expired key. */
  read(): Promise<CryptoKeyPair | null>
  /** Returns the key, or creates one. Frames in several tabs share it. */
  ensure(): Promise<CryptoKeyPair>
  delete(): Promise<void>
  /**
   * Returns false once the browser has refused to store the key, which then exists until the page is closed or
   * reloaded.
   */
  isKept(): boolean
}

/** Lifetime of an embedded key: 48 hours. */
const lifeMs = 172_800_000

/**
 * Creates the embedded key in the browser's storage, or in memory if the browser refuses storage. The private key is
 * non-extractable.
 */
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
      // Generates the key first, because an IndexedDB transaction cannot wait for it. Stores the key only if it is
      // still needed.
      const made = await makeKey()
      return (await changed((live) => live ?? made)) ?? made.keyPair
    },
    async delete() {
      await changed(() => undefined)
      // Deletes a key that was stored before the refusal, so that a reload does not restore it.
      if (!isKept()) await store.change(() => undefined).catch(() => undefined)
    },
  }
}

/** Returns the public key as an uncompressed point, 130 hex digits. */
export async function publicKeyText(keyPair: CryptoKeyPair): Promise<string> {
  return hex.encode(new Uint8Array(await crypto.subtle.exportKey('raw', keyPair.publicKey)))
}

async function makeKey(): Promise<StoredKey> {
  return { keyPair: await makeKeyPair(), expiresAt: Date.now() + lifeMs }
}

/** Creates a key pair for encryption by custody. The private key is non-extractable. */
export async function makeKeyPair(): Promise<CryptoKeyPair> {
  if (!globalThis.crypto?.subtle) {
    throw new FrameError(
      'this browser gives keys to secure pages only: serve the frame and every page around it by https',
    )
  }
  return crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
}

function isLive(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false
  const { keyPair, expiresAt } = value as Partial<StoredKey>
  return typeof expiresAt === 'number' && expiresAt > Date.now() && keyPair?.privateKey instanceof CryptoKey
}

/** Wraps a store. After its first failure, the last stored key is used from memory. */
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
