/**
 * Calls the listener when another tab of this origin writes to the local storage, with the key written, or null
 * when everything was cleared. Returns an unsubscribe.
 */
export function onStorageChange(listener: (key: string | null) => void): () => void {
  const onStorage = (event: StorageEvent) => listener(event.key)
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
