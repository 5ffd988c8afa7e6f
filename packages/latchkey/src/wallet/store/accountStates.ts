import type {
  AccountConfig,
  AccountState,
  AccountType,
  ClientState,
  PerAccount,
  PersistedClientState,
} from './types.ts'

/** One object, so that what is unchanged stays identical. */
export const disconnectedState: AccountState = { status: 'DISCONNECTED' }

/** A map with one value replaced. */
export function withAccount<value>(
  map: PerAccount<value>,
  chainId: number,
  type: AccountType,
  value: value,
): PerAccount<value> {
  return { ...map, [chainId]: { ...map[chainId], [type]: value } }
}

/**
 * States of the accounts known from an earlier visit: on their way back while there is a chance that their signer is
 * too, else not connected.
 */
export function restoredAccounts(stored: PersistedClientState): PerAccount<AccountState> {
  const { status } = stored.signerStatus
  if (status === 'DISCONNECTED' || !stored.user) return {}
  let states: PerAccount<AccountState> = {}
  for (const [chainId, configs] of Object.entries(stored.accountConfigs)) {
    for (const [type, { accountAddress: address }] of Object.entries(configs) as [AccountType, AccountConfig][]) {
      if (address) states = withAccount(states, Number(chainId), type, { status: 'RECONNECTING', account: { address } })
    }
  }
  return states
}

/** What is left of the state when nobody is signed in. */
export function signedOut(state: ClientState): Pick<ClientState, 'user' | 'accounts' | 'accountConfigs'> {
  return { user: undefined, accountConfigs: {}, accounts: state.accounts && {} }
}
