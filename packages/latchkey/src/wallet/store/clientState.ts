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

// Functions that create and change the client's state. Unchanged members keep their identity.

/** Returns a signer status with its boolean flags. */
export function toSignerStatus(status: SignerStatus): SignerStatusObject {
  return {
    status,
    isInitializing: status === 'INITIALIZING',
    isAuthenticating: ['AUTHENTICATING', 'AWAITING_EMAIL_AUTH', 'AWAITING_MFA_AUTH'].includes(status),
    isConnected: status === 'CONNECTED',
    isDisconnected: status === 'DISCONNECTED',
  }
}

export const accountTypes: readonly AccountType[] = [
  'LightAccount',
  'MultiOwnerModularAccount',
  'MultiOwnerLightAccount',
  'ModularAccountV2',
]

/** A single object, so that states can be compared by identity. */
export const disconnectedState: AccountState & { status: 'DISCONNECTED' } = { status: 'DISCONNECTED' }

/** Returns the account states with one state replaced. */
export function withState<type extends AccountType>(
  states: AccountStates,
  chainId: number,
  type: type,
  state: AccountState<type>,
): AccountStates {
  return { ...states, [chainId]: { ...states[chainId], [type]: state } }
}

/** Returns the stored account configs with one config replaced. */
export function withConfig(
  configs: AccountConfigs,
  chainId: number,
  type: AccountType,
  config: AccountConfig,
): AccountConfigs {
  return { ...configs, [chainId]: { ...configs[chainId], [type]: config } }
}

/**
 * Returns the states of accounts known from an earlier visit: RECONNECTING if a session may be restored, otherwise
 * none.
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

/** Returns the state after sign-out. */
export function signedOut(state: ClientState): Pick<ClientState, 'user' | 'accounts' | 'accountConfigs'> {
  return { user: undefined, accountConfigs: {}, accounts: state.accounts && {} }
}
