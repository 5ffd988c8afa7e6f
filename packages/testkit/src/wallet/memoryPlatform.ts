import { memoryStorage } from '../../../latchkey/src/core/storage/memoryStorage.ts'
import type { StoragePort } from '../../../latchkey/src/core/storage/StoragePort.ts'
import type { Platform } from '../../../latchkey/src/web/platform.ts'

/** Creates the platform of a page without frames and without an e-mail link. */
export function memoryPlatform(storage: StoragePort = memoryStorage()): Platform {
  return {
    readLink: () => null,
    storage: () => storage,
    onStorageChange: () => () => undefined,
    openFrame() {
      throw new TypeError('no frame in this page')
    },
  }
}

export function openStorage(initial: Record<string, string> = {}): StoragePort & { entries(): Record<string, string> } {
  const values = new Map(Object.entries(initial))
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    entries: () => Object.fromEntries(values),
  }
}
