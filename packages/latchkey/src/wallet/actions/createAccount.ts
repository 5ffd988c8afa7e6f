import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { accountChunk } from '../chunks.ts'
import { withState } from '../store/clientState.ts'
import { matchesAccount } from '../store/matchesAccount.ts'
import type {
  AccountConfig,
  AccountOf,
  AccountState,
  AccountType,
  LatchkeyConfig,
  PendingAccount,
  PendingKey,
} from '../store/types.ts'
import { getAccount, requirePage } from './account.ts'

export declare namespace createAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    /**
     * Parameters of the account. Defaults are the parameters of an earlier visit, otherwise those of the account type.
     */
    accountParams?: AccountConfig | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = AccountOf<type>
}

/**
 * Creates the signed-in user's account on the active chain. Each type has one account at a time, ready or pending,
 * which all callers share. If `accountParams` describe a different account (such as another version), that account
 * replaces it. The account's state is INITIALIZING (RECONNECTING for a known account), then READY or ERROR. Calling
 * again after ERROR retries.
 *
 * @throws `CHUNK_FAILED`, `CLIENT_ONLY`, `SIGNER_NOT_CONNECTED`, `UNSUPPORTED_ACCOUNT_TYPE`; errors of
 * `toLightAccount`, `toMultiOwnerLightAccount` or `toModularAccount`, depending on `type`.
 *
 * @example
 * ```ts
 * import { createAccount } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const account = await createAccount({ type: 'LightAccount' }, config)
 * console.log(account.address)
 * ```
 */
export async function createAccount<type extends AccountType>(
  parameters: createAccount.Parameters<type>,
  config: LatchkeyConfig,
): Promise<createAccount.ReturnType<type>> {
  const { type, accountParams } = parameters
  requirePage(config, 'account')
  const { signer, signerStatus, accountConfigs } = config.clientStore.getState()
  if (!signer || !signerStatus.isConnected) throw notConnected()
  const chainId = config.coreStore.getState().chain.id
  const { pendingAccounts } = config._internal
  const key: PendingKey<type> = `${chainId}:${type}`
  // Signing out clears the map. Pending calls still return their account, but do not write it to the state.
  const current = pendingAccounts.get(key)
  if (current && matchesAccount(accountParams, current.params)) return current.account
  const state = getAccount({ type }, config)
  const saved = accountConfigs[chainId]?.[type]
  const isSaved = saved !== undefined && matchesAccount(accountParams, saved)
  if (state.status === 'READY' && isSaved) return state.account

  const params = isSaved ? { ...accountParams, ...saved } : (accountParams ?? {})
  const making = { account: make(type, signer, params, config), params }
  // Set before the state changes, because a listener may request the account immediately.
  pendingAccounts.set(key, making)
  if (state.status !== 'RECONNECTING' || !isSaved)
    setState(config, chainId, type, { status: 'INITIALIZING', account: making.account })
  return finish(making, { chainId, type }, config)
}

/** Creates the user's known accounts on the active chain. After a failure, the account's state is ERROR. */
export function createKnownAccounts(config: LatchkeyConfig): void {
  const { accountConfigs, signerStatus } = config.clientStore.getState()
  if (!signerStatus.isConnected) return
  const known = accountConfigs[config.coreStore.getState().chain.id] ?? {}
  for (const type of Object.keys(known) as AccountType[]) createAccount({ type }, config).catch(() => {})
}

async function finish<type extends AccountType>(
  making: PendingAccount<type>,
  { chainId, type }: { chainId: number; type: type },
  config: LatchkeyConfig,
): Promise<AccountOf<type>> {
  const { pendingAccounts } = config._internal
  const key: PendingKey<type> = `${chainId}:${type}`
  // Not in use after a sign-out or a request for another account.
  const isInUse = () => pendingAccounts.get(key) === making
  try {
    const account = await making.account
    // The chunk is loaded, because it created the account.
    await accountChunk.loaded()?.settleAccount(config, { chainId, type, account, params: making.params, isInUse })
    return account
  } catch (cause) {
    if (isInUse()) setState(config, chainId, type, { status: 'ERROR', error: toError(cause) })
    throw cause
  } finally {
    if (isInUse()) pendingAccounts.delete(key)
  }
}

function make<type extends AccountType>(
  type: type,
  signer: Signer,
  params: AccountConfig,
  config: LatchkeyConfig,
): Promise<AccountOf<type>> {
  const { chain, connections } = config.coreStore.getState()
  const { outbox } = config._internal
  const connection = connections.get(chain.id)
  const making = accountChunk
    .load()
    .then(({ makeAccount }) => makeAccount(type, { signer, params, chain, connection, outbox }))
  // Prevents an unhandled rejection if no caller awaits the promise in the INITIALIZING state.
  making.catch(() => {})
  return making
}

function setState<type extends AccountType>(
  config: LatchkeyConfig,
  chainId: number,
  type: type,
  account: AccountState<type>,
): void {
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withState(state.accounts, chainId, type, account),
  }))
}

function toError(cause: unknown): Error {
  if (cause instanceof Error) return cause
  return new BaseError('The account could not be created.', { code: 'ACCOUNT_NOT_FOUND', cause })
}

function notConnected(): BaseError {
  return new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['Sign in first: `authenticate` of the signer, or useAuthModal().openAuthModal().'],
  })
}
