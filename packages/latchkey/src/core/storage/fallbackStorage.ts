import { memoryStorage } from './memoryStorage.ts'
import type { StoragePort } from './StoragePort.ts'

export declare namespace fallbackStorage {
  /** Storage to use, or a function that returns it: reading `window.localStorage` itself may throw. */
  type Parameters = StoragePort | (() => StoragePort | null | undefined)
  type ReturnType = StoragePort
}

/**
 * Creates a storage that never throws. If the browser refuses storage (blocked site data, full quota, a sandbox) values
 * are kept in memory, so that a page still works until it is closed.
 */
export function fallbackStorage(source: fallbackStorage.Parameters): fallbackStorage.ReturnType {
  const memory = memoryStorage()
  const target = resolveSource(source)
  if (!target) return memory
  return {
    getItem(key) {
      // Memory is read first: it has a key only if the storage refused to store it.
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
