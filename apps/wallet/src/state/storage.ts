// Uses memory if the browser refuses storage, for example in an embedded page.
const storage = openStorage()
const memory = new Map<string, string>()

function openStorage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}

export function readStored(key: string): string | null {
  return storage ? storage.getItem(key) : (memory.get(key) ?? null)
}

export function store(key: string, text: string): void {
  if (storage) storage.setItem(key, text)
  else memory.set(key, text)
}

export function removeStored(prefix: string): void {
  for (const key of storage ? Object.keys(storage) : memory.keys()) {
    if (!key.startsWith(prefix)) continue
    storage?.removeItem(key)
    memory.delete(key)
  }
}
