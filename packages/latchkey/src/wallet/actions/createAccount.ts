import { createClient } from 'viem'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { rpcTransport } from '../client/rpcTransport.ts'
import { clientOnly } from '../errors/clientOnly.ts'
import { withConfig, withState } from '../store/accountStates.ts'
import { isAccountOf } from '../store/isAccountOf.ts'
import type {
  AccountConfig,
  AccountOf,
  AccountState,
  AccountType,
  LatchkeyConfig,
  PendingAccount,
} from '../store/types.ts'
import { getAccount } from './getAccount.ts'

export declare namespace createAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    /** Which account: what is named here holds. What is not comes from an earlier visit, else it has its default. */
    accountParams?: AccountConfig | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = AccountOf<type>
  type ErrorType = BaseError | toLightAccount.ErrorType | toModularAccount.ErrorType
}

/**
 * The account of the person signed in on the active chain. There is one of a type at a time: it is shared, ready or
 * being made, by whoever names it or names nothing, and `accountParams` that name another one (another version, say)
 * put that in its place. Its state goes INITIALIZING (RECONNECTING where it was known), then READY or ERROR; calling
 * again after ERROR tries again. Throws `CLIENT_ONLY`, 'Signer not connected' (`SIGNER_NOT_CONNECTED`), 'Unsupported
 * account type'.
 */
export async function createAccount<type extends AccountType>(
  parameters: createAccount.Parameters<type>,
  config: LatchkeyConfig,
): Promise<createAccount.ReturnType<type>> {
  const { type, accountParams } = parameters
  const { accounts, signer, signerStatus, accountConfigs } = config.clientStore.getState()
  if (!accounts) throw clientOnly('account')
  if (!Object.hasOwn(makers, type)) throw unsupported()
  if (!signer || !signerStatus.isConnected) throw notConnected()
  const chainId = config.coreStore.getState().chain.id
  const pending = config._internal.pendingAccounts[type]
  const underWay = pending.get(chainId)
  if (underWay && isAccountOf(accountParams, underWay.params)) return underWay.account
  const state = getAccount({ type }, config)
  const saved = accountConfigs[chainId]?.[type]
  const isSaved = saved !== undefined && isAccountOf(accountParams, saved)
  if (state.status === 'READY' && isSaved) return state.account

  const params = isSaved ? { ...accountParams, ...saved } : (accountParams ?? {})
  const making = { account: make(type, signer, params, config), params }
  // Before the state changes: whoever listens may ask for the account at once.
  pending.set(chainId, making)
  if (state.status !== 'RECONNECTING' || !isSaved)
    setState(config, chainId, type, { status: 'INITIALIZING', account: making.account })
  return finish(making, { chainId, type }, config)
}

/** Waits for an account and writes down how it went, unless nobody wants it any more. */
async function finish<type extends AccountType>(
  making: PendingAccount<type>,
  { chainId, type }: { chainId: number; type: type },
  config: LatchkeyConfig,
): Promise<AccountOf<type>> {
  const pending = config._internal.pendingAccounts[type]
  // Signing out meanwhile takes it off the list, and asking for another one puts that in its place.
  const isWanted = () => pending.get(chainId) === making
  try {
    const account = await making.account
    const initCode = await account.getFactoryInitCode()
    if (isWanted()) settle(config, { chainId, type }, account, { ...making.params, initCode })
    return account
  } catch (cause) {
    if (isWanted()) setState(config, chainId, type, { status: 'ERROR', error: toError(cause) })
    throw cause
  } finally {
    if (isWanted()) pending.delete(chainId)
  }
}

/** All the account types there are. */
const makers: { readonly [type in AccountType]: (parameters: MakerParameters) => Promise<AccountOf<type>> } = {
  LightAccount: toLightAccount,
  MultiOwnerModularAccount: toModularAccount,
}

type MakerParameters = AccountConfig & Pick<toLightAccount.Parameters, 'client' | 'owner'>

function make<type extends AccountType>(
  type: type,
  signer: Signer,
  params: AccountConfig,
  config: LatchkeyConfig,
): Promise<AccountOf<type>> {
  const { chain, connections } = config.coreStore.getState()
  const { signerType } = signer
  const transport = rpcTransport({ ...connections.get(chain.id), signerType })
  const making = Promise.resolve().then(() =>
    makers[type]({ ...params, client: createClient({ chain, transport }), owner: signer.toViemAccount() }),
  )
  // Whoever holds the INITIALIZING state may not look at its promise.
  making.catch(() => {})
  return making
}

function settle<type extends AccountType>(
  config: LatchkeyConfig,
  { chainId, type }: { chainId: number; type: type },
  account: AccountOf<type>,
  params: AccountConfig,
): void {
  const version = account.source === 'LightAccount' ? { version: account.version } : {}
  const known: AccountConfig = { ...params, ...version, accountAddress: account.address }
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withState(state.accounts, chainId, type, { status: 'READY', account }),
    accountConfigs: withConfig(state.accountConfigs, chainId, type, known),
  }))
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
  return new BaseError('The account could not be made.', { code: 'ACCOUNT_NOT_FOUND', cause })
}

function unsupported(): BaseError {
  return new BaseError('Unsupported account type', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: [`Supported: ${Object.keys(makers).join(', ')}`],
  })
}

function notConnected(): BaseError {
  return new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['Sign in first: `authenticate` of the signer, or useAuthModal().openAuthModal().'],
  })
}
