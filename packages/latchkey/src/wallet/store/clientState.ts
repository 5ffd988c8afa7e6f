import type { SignerStatus } from '../../signer/types.ts'
import type {
  AccountConfig,
  AccountConfigs,
  AccountState,
  AccountStates,
  AccountType,
  ClientState,
  PersistedClientState,
  SignerStatusObject,
} from './types.ts'

// Values of the client's state, and the changes it goes through. Unchanged parts stay identical.

/** A signer status with its yes-or-no readings. */
export function toSignerStatus(status: SignerStatus): SignerStatusObject {
  return {
    status,
    isInitializing: status === 'INITIALIZING',
    isAuthenticating: status === 'AUTHENTICATING' || status === 'AWAITING_EMAIL_AUTH',
    isConnected: status === 'CONNECTED',
    isDisconnected: status === 'DISCONNECTED',
  }
}

/** All the account types there are. */
export const accountTypes: readonly AccountType[] = [
  'LightAccount',
  'MultiOwnerModularAccount',
  'MultiOwnerLightAccount',
]

/** One object, so that states can be compared by identity. */
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

/** States of the accounts known from an earlier visit: reconnecting while their signer may be, else none. */
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

/** What is left of the state once the person has signed out. */
export function signedOut(state: ClientState): Pick<ClientState, 'user' | 'accounts' | 'accountConfigs'> {
  return { user: undefined, accountConfigs: {}, accounts: state.accounts && {} }
}
