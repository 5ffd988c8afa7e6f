import { signedOut, toSignerStatus } from './clientState.ts'
import { createStoredStore, type StoredPart } from './createStoredStore.ts'
import { restoreClientState } from './persistedState.ts'
import type { ClientConfig, ClientState, ClientStore } from './types.ts'

export declare namespace createClientStore {
  type Parameters = Pick<StoredPart<ClientState>, 'key' | 'storage' | 'ssr'> & {
    config: ClientConfig
    /** Whether there is a page: without a page, there are no accounts. */
    isBrowser: boolean
  }
}

/**
 * Creates the store of signer, user and accounts. Persists user, signer status and account configs; no keys, no
 * connection.
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
      // A tab that is still signing in must not overwrite another tab's state: it may be closed before the sign-in is
      // complete.
      select: ({ user, signerStatus: { status, isAuthenticating }, accountConfigs }) =>
        !isAuthenticating && { user, signerStatus: toSignerStatus(status), accountConfigs },
      // The state of the first paint is replaced, even if there is no stored state.
      restore: (state, current) => restoreClientState(state, { ...current, ...signedOut(current) }),
    },
  )
}
