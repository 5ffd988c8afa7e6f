import { restoreCoreState } from './createCoreStore.ts'
import { createStoredStore } from './createStoredStore.ts'
import { restoreClientState } from './persistedState.ts'
import type { InitialState, LatchkeyConfig } from './types.ts'

/** A config with stores of its own: the state `config` began with, and what `initialState` says. It has no page. */
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
