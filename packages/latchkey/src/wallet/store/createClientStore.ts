import { createJSONStorage, persist, subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { toSignerStatus } from './clientState.ts'
import { replaceTagged, restoreClientState, reviveTagged } from './persistedState.ts'
import type { ClientConfig, ClientState, ClientStore, PersistedClientState } from './types.ts'

export declare namespace createClientStore {
  type Parameters = {
    config: ClientConfig
    /** Whether there is a page: without one there are no accounts. */
    isBrowser: boolean
    storageKey: string
    storage: StoragePort
    /** Leave what is stored for `hydrate`. */
    ssr: boolean
  }
}

/** Raised when what is stored changes its form; older data is discarded. */
const version = 1

/** State of signer, user and accounts. Stored: user, signer status and account configs; no keys, no connection. */
export function createClientStore(parameters: createClientStore.Parameters): ClientStore {
  const { config, isBrowser, storageKey, storage, ssr } = parameters
  const initial: ClientState = {
    config,
    signerStatus: toSignerStatus('INITIALIZING'),
    accountConfigs: {},
    ...(isBrowser ? { accounts: {} } : {}),
  }
  return createStore<ClientState>()(
    subscribeWithSelector(
      persist<ClientState, [['zustand/subscribeWithSelector', never]], [], PersistedClientState>(() => initial, {
        name: storageKey,
        version,
        storage: createJSONStorage(() => storage, { replacer: replaceTagged, reviver: reviveTagged }),
        skipHydration: ssr,
        partialize: ({ user, signerStatus, accountConfigs }) => ({ user, signerStatus, accountConfigs }),
        migrate: () => ({ signerStatus: toSignerStatus('DISCONNECTED'), accountConfigs: {} }),
        merge: restoreClientState,
      }),
    ),
  )
}
