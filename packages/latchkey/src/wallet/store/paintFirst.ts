import { restoreCoreState } from './createCoreStore.ts'
import { createStoredStore } from './createStoredStore.ts'
import { restoreClientState } from './persistedState.ts'
import type { InitialState, LatchkeyConfig } from './types.ts'

/**
 * Creates a config with its own stores, which contain the initial state of `config` merged with `initialState`. The new
 * config does not read or change the page.
 */
export function paintFirst(config: LatchkeyConfig, initialState: InitialState | undefined): LatchkeyConfig {
  const { clientStore, coreStore, dialog, _internal } = config
  const core = coreStore.getInitialState()
  return {
    clientStore: createStoredStore(
      restoreClientState(initialState, { accounts: {}, ...clientStore.getInitialState() }),
    ),
    coreStore: createStoredStore(restoreCoreState(initialState, core, core.chain)),
    dialog,
    _internal: { ..._internal, page: undefined },
  }
}
