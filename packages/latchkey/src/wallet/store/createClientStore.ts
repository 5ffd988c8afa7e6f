import { createJSONStorage, persist, subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { restoredAccounts } from './accountStates.ts'
import { replaceTagged, reviveTagged } from './json.ts'
import { readPersisted } from './readPersisted.ts'
import { signerStatusObject } from './signerStatusObject.ts'
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

/** Raised whenever what is stored changes its form; older data is forgotten. */
const version = 1

/** State of signer, user and accounts. Stored: user, signer status and account configs; no keys, no connection. */
export function createClientStore(parameters: createClientStore.Parameters): ClientStore {
  const { config, isBrowser, storageKey, storage, ssr } = parameters
  const initial: ClientState = {
    config,
    signerStatus: signerStatusObject('INITIALIZING'),
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
        migrate: () => ({ signerStatus: signerStatusObject('DISCONNECTED'), accountConfigs: {} }),
        merge: (stored, current) => restoreClientState(stored, current),
      }),
    ),
  )
}

/** Present state with what was stored. The signer is not known yet, whatever it was. */
export function restoreClientState(stored: unknown, current: ClientState): ClientState {
  const known = readPersisted(stored)
  if (!known) return current
  return {
    ...current,
    user: known.user,
    accountConfigs: known.accountConfigs,
    signerStatus: signerStatusObject('INITIALIZING'),
    ...(current.accounts ? { accounts: restoredAccounts(known) } : {}),
  }
}
