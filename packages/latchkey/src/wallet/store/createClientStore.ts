import { signedOut, toSignerStatus } from './clientState.ts'
import { createStoredStore, type StoredPart } from './createStoredStore.ts'
import { restoreClientState } from './persistedState.ts'
import type { ClientConfig, ClientState, ClientStore } from './types.ts'

export declare namespace createClientStore {
  type Parameters = Pick<StoredPart<ClientState>, 'key' | 'storage' | 'ssr'> & {
    config: ClientConfig
    /** Whether there is a page: without one there are no accounts. */
    isBrowser: boolean
  }
}

/** State of signer, user and accounts. Stored: user, signer status and account configs; no keys, no connection. */
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
      // A tab on its way does not take the place of what another one knows: it may be closed before it arrives.
      select: ({ user, signerStatus: { status, isAuthenticating }, accountConfigs }) =>
        !isAuthenticating && { user, signerStatus: toSignerStatus(status), accountConfigs },
      // What was put there for the first paint gives way, also where nothing is stored.
      restore: (state, current) => restoreClientState(state, { ...current, ...signedOut(current) }),
    },
  )
}
