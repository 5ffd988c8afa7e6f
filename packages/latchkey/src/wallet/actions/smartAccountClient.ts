import type { Address } from 'viem'
import { accountChunk } from '../chunks.ts'
import type { ClientOf } from '../client/AccountKind.ts'
import type { ClientOptions } from '../client/types.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import { matchesAccount } from '../store/matchesAccount.ts'
import type { AccountConfig, AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'
import { getAccount, watchStores } from './account.ts'

export declare namespace getSmartAccountClient {
  type Parameters<type extends AccountType = AccountType> = MiddlewareConfig & {
    type: type
    /**
     * Parameters of the account. If they describe a different account than the current one, there is no client; see
     * `createAccount`.
     */
    accountParams?: AccountConfig | undefined
    opts?: ClientOptions | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = {
    client?: ClientOf<type> | undefined
    address?: Address | undefined
    isLoadingClient: boolean
    /** Reason why there is no account. */
    error?: Error | undefined
  }
}

type NoClient = Omit<getSmartAccountClient.ReturnType, 'client'>

const others = new WeakMap<AccountState, NoClient>()
/** Result if the requested account is not the current account. `createAccount` makes it the current account. */
const notCurrent: NoClient = { isLoadingClient: true }

/**
 * Returns the client for the account of the given type on the active chain. Returns the same object for the same
 * account and parameters, so that results can be compared. Never creates an account (see `createAccount`), and never
 * returns the client of a different account than requested.
 *
 * @example
 * ```ts
 * import { getSmartAccountClient } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const gasManagerConfig = { policyId: 'dev-sponsor-all' }
 * const { client, isLoadingClient } = getSmartAccountClient({ type: 'LightAccount', gasManagerConfig }, config)
 * ```
 */
export function getSmartAccountClient<type extends AccountType>(
  parameters: getSmartAccountClient.Parameters<type>,
  config: LatchkeyConfig,
): getSmartAccountClient.ReturnType<type> {
  const { type, accountParams } = parameters
  const state = getAccount({ type }, config)
  const saved = config.clientStore.getState().accountConfigs[config.coreStore.getState().chain.id]?.[type]
  const hasAccount = state.status === 'READY' || state.status === 'RECONNECTING'
  if (hasAccount && saved && !matchesAccount(accountParams, saved)) return notCurrent
  // The code is loaded, because it created the account.
  if (state.status === 'READY')
    return accountChunk.loaded()?.readyClient(state.account, parameters, config) ?? notCurrent
  const known = others.get(state)
  if (known) return known
  const result = pending(state)
  others.set(state, result)
  return result
}

function pending(state: AccountState): NoClient {
  if (state.status === 'ERROR') return { isLoadingClient: false, error: state.error }
  if (state.status === 'RECONNECTING') return { isLoadingClient: true, address: state.account.address }
  return { isLoadingClient: state.status === 'INITIALIZING' }
}

/**
 * Calls the listener when the client of an account type changes. Returns an unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchSmartAccountClient } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const watch = watchSmartAccountClient({ type: 'LightAccount' }, config)
 * const unsubscribe = watch(({ client }) => console.log(client?.account.address))
 * unsubscribe()
 * ```
 */
export function watchSmartAccountClient<type extends AccountType>(
  parameters: getSmartAccountClient.Parameters<type>,
  config: LatchkeyConfig,
): (listener: (result: getSmartAccountClient.ReturnType<type>) => void) => () => void {
  return (listener) => watchStores(config, () => getSmartAccountClient(parameters, config), listener)
}
