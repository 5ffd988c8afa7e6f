import { memoryStorage } from './memoryStorage.ts'
import type { StoragePort } from './StoragePort.ts'

export declare namespace fallbackStorage {
  /**
   * Storage to use, or a function that returns it. Pass a function for browsers that throw when `window.localStorage`
   * is read.
   */
  type Parameters = StoragePort | (() => StoragePort | null | undefined)
  type ReturnType = StoragePort
}

/**
 * Creates a storage that never throws. If the browser refuses storage (blocked site data, full quota, a sandbox),
 * values stay in memory until the page is closed.
 */
export function fallbackStorage(source: fallbackStorage.Parameters): fallbackStorage.ReturnType {
  const memory = memoryStorage()
  const target = resolveSource(source)
  if (!target) return memory
  return {
    getItem(key) {
      // Memory contains a key only if the browser's storage refused it.
      return memory.getItem(key) ?? attempt(() => target.getItem(key)) ?? null
    },
    setItem(key, value) {
      const written = attempt(() => {
        target.setItem(key, value)
        return true
      })
      if (written) memory.removeItem(key)
      else memory.setItem(key, value)
    },
    removeItem(key) {
      memory.removeItem(key)
      attempt(() => target.removeItem(key))
    },
  }
}

function resolveSource(source: fallbackStorage.Parameters): StoragePort | undefined {
  if (typeof source !== 'function') return source
  return attempt(source) ?? undefined
}

function attempt<value>(action: () => value): value | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
