// Inside of another site, or by a person's settings, the browser may keep nothing: then the page does, while it is open.
const storage = openStorage()
const memory = new Map<string, string>()

function openStorage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}

/** What this device has kept under a key. */
export function readKept(key: string): string | null {
  return storage ? storage.getItem(key) : (memory.get(key) ?? null)
}

export function keep(key: string, text: string): void {
  if (storage) storage.setItem(key, text)
  else memory.set(key, text)
}

/** Forgets everything whose key begins so. */
export function forgetKept(prefix: string): void {
  for (const key of storage ? Object.keys(storage) : memory.keys()) {
    if (!key.startsWith(prefix)) continue
    storage?.removeItem(key)
    memory.delete(key)
  }
}
