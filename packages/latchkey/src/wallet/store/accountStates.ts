import type {
  AccountConfig,
  AccountConfigs,
  AccountState,
  AccountStates,
  AccountType,
  ClientState,
  PendingAccounts,
  PersistedClientState,
} from './types.ts'

/** One object, so that what is unchanged stays identical. */
export const disconnectedState: AccountState & { status: 'DISCONNECTED' } = { status: 'DISCONNECTED' }

/** The states with one replaced. */
export function withState<type extends AccountType>(
  states: AccountStates,
  chainId: number,
  type: type,
  state: AccountState<type>,
): AccountStates {
  return { ...states, [chainId]: { ...states[chainId], [type]: state } }
}

/** What is kept of the accounts, with one replaced. */
export function withConfig(
  configs: AccountConfigs,
  chainId: number,
  type: AccountType,
  config: AccountConfig,
): AccountConfigs {
  return { ...configs, [chainId]: { ...configs[chainId], [type]: config } }
}

export function noPendingAccounts(): PendingAccounts {
  return { LightAccount: new Map(), MultiOwnerModularAccount: new Map() }
}

/** Whoever waits for an account being made still gets it, but it becomes nobody's state. */
export function forgetPending(pending: PendingAccounts): void {
  for (const accounts of Object.values(pending)) accounts.clear()
}

/**
 * States of the accounts known from an earlier visit: on their way back while there is a chance that their signer is
 * too, else not connected.
 */
export function restoredAccounts(stored: PersistedClientState): AccountStates {
  const { status } = stored.signerStatus
  if (status === 'DISCONNECTED' || !stored.user) return {}
  let states: AccountStates = {}
  for (const [chainId, configs] of Object.entries(stored.accountConfigs)) {
    for (const [type, { accountAddress: address }] of Object.entries(configs) as [AccountType, AccountConfig][]) {
      if (address) states = withState(states, Number(chainId), type, { status: 'RECONNECTING', account: { address } })
    }
  }
  return states
}

/** What is left of the state when nobody is signed in. */
export function signedOut(state: ClientState): Pick<ClientState, 'user' | 'accounts' | 'accountConfigs'> {
  return { user: undefined, accountConfigs: {}, accounts: state.accounts && {} }
}
