import type { KeyStore, StoredKey } from './keyStore.ts'

/** Keeps the key for as long as the page is open. */
export function memoryKeyStore(kept?: StoredKey): KeyStore {
  return {
    async change(decide) {
      kept = decide(kept)
      return kept
    },
  }
}
