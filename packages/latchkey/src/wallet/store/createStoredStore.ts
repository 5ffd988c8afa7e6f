import { subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { replaceTagged, reviveTagged } from './persistedState.ts'
import type { Store } from './types.ts'

/** Describes how a part of a store's state is persisted. */
export type StoredPart<state> = {
  key: string
  storage: StoragePort
  /** Does not read stored state on creation, but leaves this to `hydrate`. */
  ssr: boolean
  /** Returns the part to store; false leaves the stored data unchanged. */
  select: (state: state) => unknown
  /** Merges stored data of any form into the current state. The data is undefined if there is none of this version. */
  restore: (stored: unknown, current: state) => state
}

/** Incremented when the stored format changes; older data is discarded. */
const version = 1

/**
 * Creates a store that persists a part of its state, as `{"state":…,"version":1}`. Nothing is written before the stored
 * data is read, so that the first paint's state does not overwrite it.
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
