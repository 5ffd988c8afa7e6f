import { subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { replaceTagged, reviveTagged } from './persistedState.ts'
import type { Store } from './types.ts'

/** Describes which members of a store's state are persisted. */
export type StoredPart<state> = {
  key: string
  storage: StoragePort
  /** Whether `hydrate` reads the stored state, instead of the store's creation. */
  ssr: boolean
  /** Returns the value to store; false leaves the stored value unchanged. */
  select: (state: state) => unknown
  /**
   * Merges a stored value of any form into the current state. `stored` is undefined if there is none of this version.
   */
  restore: (stored: unknown, current: state) => state
}

/** Version of the stored format. Other versions are ignored. */
const version = 1

/**
 * Creates a store that persists part of its state as `{"state":…,"version":1}`. Writes nothing before it has read the
 * stored value, so that the initial state does not overwrite it.
 */
export function createStoredStore<state>(initial: state, part?: StoredPart<state>): Store<state> {
  const store = createStore<state>()(subscribeWithSelector(() => initial))
  let isRead = false
  const rehydrate = () => {
    if (part) store.setState(part.restore(readStored(part), store.getState()), true)
    isRead = true
  }
  if (part) {
    store.subscribe((state) => {
      const kept = isRead && part.select(state)
      if (kept) part.storage.setItem(part.key, JSON.stringify({ state: kept, version }, replaceTagged))
    })
    if (!part.ssr) rehydrate()
  }
  return { ...store, persist: { rehydrate, hasHydrated: () => isRead } }
}

function readStored({ storage, key }: Pick<StoredPart<never>, 'storage' | 'key'>): unknown {
  try {
    const stored = JSON.parse(storage.getItem(key) ?? 'null', reviveTagged)
    return stored?.version === version ? stored.state : undefined
  } catch {
    return undefined
  }
}
