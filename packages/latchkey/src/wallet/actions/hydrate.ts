import { restoreClientState } from '../store/createClientStore.ts'
import type { LatchkeyConfig, PersistedClientState } from '../store/types.ts'
import { reconnect } from './reconnect.ts'

export declare namespace hydrate {
  type ReturnType = {
    /** To be called once the page is mounted; calling it again does nothing. */
    onMount(): Promise<void>
  }
}

/**
 * Puts state that was read on the server into a config, and says what is left to do in the page: with `ssr` read what
 * is stored, then make the signer.
 */
export function hydrate(config: LatchkeyConfig, initialState?: PersistedClientState): hydrate.ReturnType {
  const { clientStore, coreStore, _internal } = config
  if (initialState && !clientStore.persist.hasHydrated()) {
    clientStore.setState((state) => restoreClientState(initialState, state))
  }
  let mounted: Promise<void> | undefined
  const mount = async () => {
    if (_internal.ssr && !clientStore.getState().signer) {
      await clientStore.persist.rehydrate()
      await coreStore.persist.rehydrate()
    }
    await reconnect(config)
  }
  return {
    onMount() {
      mounted ??= mount()
      return mounted
    },
  }
}
