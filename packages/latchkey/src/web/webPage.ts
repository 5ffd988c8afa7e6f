import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Page } from './platform.ts'
import { keepLink, readLink } from './readLink.ts'

/**
 * Returns the page functions that the first load needs; `webPlatform` contains the others. Returns null without a
 * document.
 */
export function webPage(): Page | null {
  if (typeof window === 'undefined' || typeof document === 'undefined') return null
  return {
    readLink,
    keepLink,
    // A function, because reading `window.localStorage` throws if the browser refuses storage.
    storage: (kind) => fallbackStorage(() => window[kind]),
    onStorageChange,
    isPressed: () => navigator.userActivation?.isActive,
  }
}

/**
 * Calls the listener when another tab of this origin writes to the local storage. `key` is the written key, or null if
 * the whole storage was cleared. Returns an unsubscribe function.
 */
function onStorageChange(listener: (key: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => listener(event.key)
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
