import type { StoragePort } from './StoragePort.ts'

/**
 * Creates a storage that lives as long as the page or process.
 *
 * @example
 * ```ts
 * import { createConfig, latchkeyEndpoints, memoryStorage } from 'latchkey'
 * import { chain } from './config.ts'
 *
 * const endpoints = latchkeyEndpoints('http://localhost:4101')
 * export const config = createConfig({ chain, apiKey: 'latchkey-dev', endpoints, storage: memoryStorage })
 * ```
 */
export function memoryStorage(): StoragePort {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      values.set(key, String(value))
    },
    removeItem: (key) => {
      values.delete(key)
    },
  }
}
