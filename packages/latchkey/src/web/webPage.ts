import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Page } from './platform.ts'
import { keepLink, readLink } from './readLink.ts'

/** Returns the parts of the page needed by the first load; the rest is in `webPlatform`. Null without a document. */
export function webPage(): Page | null {
  if (typeof window === 'undefined' || typeof document === 'undefined') return null
  return {
    readLink,
    keepLink,
    // A function, because just reading the property throws if the browser refuses storage.
    storage: (kind) => fallbackStorage(() => window[kind]),
    onStorageChange,
    isPressed: () => navigator.userActivation?.isActive,
  }
}

/**
 * Calls the listener when another tab of this origin writes to the local storage, with the written key, or null when
 * everything was cleared. Returns an unsubscribe function.
 */
function onStorageChange(listener: (key: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => listener(event.key)
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
