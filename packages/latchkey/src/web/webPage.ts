import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Page } from './platform.ts'
import { readLink } from './readLink.ts'

/** What the first load needs of the page; the rest is in `webPlatform`. Null where there is no document. */
export function webPage(): Page | null {
  if (typeof window === 'undefined' || typeof document === 'undefined') return null
  return {
    readLink,
    // A function: merely naming the storage throws where the browser refuses it.
    storage: (kind) => fallbackStorage(() => window[kind]),
    onStorageChange,
    isPressed: () => navigator.userActivation?.isActive,
  }
}

/**
 * Calls the listener when another tab of this origin writes to the local storage, with the key written, or null
 * when everything was cleared. Returns an unsubscribe.
 */
function onStorageChange(listener: (key: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => listener(event.key)
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
