import { signedOut, toSignerStatus } from './clientState.ts'
import { createStoredStore, type StoredPart } from './createStoredStore.ts'
import { restoreClientState } from './persistedState.ts'
import type { ClientConfig, ClientState, ClientStore } from './types.ts'

export declare namespace createClientStore {
  type Parameters = Pick<StoredPart<ClientState>, 'key' | 'storage' | 'ssr'> & {
    config: ClientConfig
    /** Whether the code runs in a page. Elsewhere there are no accounts. */
    isBrowser: boolean
  }
}

/**
 * Creates the store of signer, user and accounts. Persists the user, the signer status and the account configs, but no
 * keys and no connection.
 */
export function createClientStore({ config, isBrowser, ...stored }: createClientStore.Parameters): ClientStore {
  return createStoredStore<ClientState>(
    {
      config,
      signerStatus: toSignerStatus('INITIALIZING'),
      accountConfigs: {},
      ...(isBrowser && { accounts: {} }),
    },
    {
      ...stored,
      // Not stored during a sign-in: the tab may be closed before the sign-in is complete, and must not overwrite
      // another tab's state.
      select: ({ user, signerStatus: { status, isAuthenticating }, accountConfigs }) =>
        !isAuthenticating && { user, signerStatus: toSignerStatus(status), accountConfigs },
      // Replaces the state of the first render, even if there is no stored state.
      restore: (state, current) => restoreClientState(state, { ...current, ...signedOut(current) }),
    },
  )
}
