import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'
import { indexedKeyStore, type KeyStore, memoryKeyStore, type StoredKey } from './keyStore.ts'

/** The frame's key pair in this browser, to which custody seals secrets that only the frame may open. */
export type EmbeddedKey = {
  /** Returns the key, or null. Deletes an expired one. */
  read(): Promise<CryptoKeyPair | null>
  /** Returns the key, creating one if necessary. Frames of several tabs share it. */
  ensure(): Promise<CryptoKeyPair>
  delete(): Promise<void>
  /**
   * Returns false once the browser has refused to store the key, which then lasts until the page is closed or reloaded.
   */
  isKept(): boolean
}

/** Lifetime of an embedded key: 48 hours. */
const lifeMs = 172_800_000

/** Stores the key in this browser, or in memory if that is refused. Its private half cannot be exported. */
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
      // A transaction cannot wait for key generation: the key is generated first, and stored only if still needed.
      const made = await makeKey()
      return (await changed((live) => live ?? made)) ?? made.keyPair
    },
    async delete() {
      await changed(() => undefined)
      // Prevents a reload from restoring a key stored before the refusal.
      if (!isKept()) await store.change(() => undefined).catch(() => undefined)
    },
  }
}

/** Uncompressed point, 130 hex digits. */
export async function publicKeyText(keyPair: CryptoKeyPair): Promise<string> {
  return hex.encode(new Uint8Array(await crypto.subtle.exportKey('raw', keyPair.publicKey)))
}

async function makeKey(): Promise<StoredKey> {
  return { keyPair: await makeKeyPair(), expiresAt: Date.now() + lifeMs }
}

/** Creates a key pair to which custody can seal a secret. The private half cannot be exported. */
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

/** On the store's first failure, permanently moves the last stored key to memory. */
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
