import { subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { replaceTagged, reviveTagged } from './persistedState.ts'
import type { Store } from './types.ts'

/** How a store keeps a part of its state. */
export type StoredPart<state> = {
  key: string
  storage: StoragePort
  /** Leave what is stored for `hydrate`. */
  ssr: boolean
  /** The part that is kept; false where what is stored stays as it is. */
  select: (state: state) => unknown
  /** Present state with what was stored, of any form; undefined where there is nothing of this version. */
  restore: (stored: unknown, current: state) => state
}

/** Raised when what is stored changes its form; older data is discarded. */
const version = 1

/**
 * A store of which a part is kept in a storage, as `{"state":…,"version":1}`. Nothing is written before what is there
 * was read: the state of a first paint must not take its place.
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
