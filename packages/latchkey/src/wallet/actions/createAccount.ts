import { createClient } from 'viem'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { rpcTransport } from '../client/rpcTransport.ts'
import { clientOnly } from '../errors/clientOnly.ts'
import { withAccount } from '../store/accountStates.ts'
import { isAccountOf } from '../store/isAccountOf.ts'
import type { AccountConfig, AccountOf, AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'
import { getAccount } from './getAccount.ts'

export declare namespace createAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    /** Which account: what is named here holds. What is not comes from an earlier visit, else it has its default. */
    accountParams?: AccountConfig | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = AccountOf<type>
  type ErrorType = BaseError | toLightAccount.ErrorType
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
  if (type !== 'LightAccount') throw unsupported()
  if (!signer || !signerStatus.isConnected) throw notConnected()
  const { chain } = config.coreStore.getState()
  const key = `${chain.id}:${type}`
  const pending = config._internal.pendingAccounts.get(key)
  if (pending && isAccountOf(accountParams, pending.params)) return pending.account
  const state = getAccount({ type }, config)
  const saved = accountConfigs[chain.id]?.[type]
  const isSaved = saved !== undefined && isAccountOf(accountParams, saved)
  if (state.status === 'READY' && isSaved) return state.account

  const params = isSaved ? { ...accountParams, ...saved } : (accountParams ?? {})
  const making = { account: make(signer, params, config), params }
  // Before the state changes: whoever listens may ask for the account at once.
  config._internal.pendingAccounts.set(key, making)
  if (state.status !== 'RECONNECTING' || !isSaved)
    setState(config, chain.id, type, { status: 'INITIALIZING', account: making.account })
  return finish(making, { key, chainId: chain.id, type }, config)
}

/** Waits for an account and writes down how it went, unless nobody wants it any more. */
async function finish(
  making: { account: Promise<AccountOf>; params: AccountConfig },
  { key, chainId, type }: { key: string; chainId: number; type: AccountType },
  config: LatchkeyConfig,
): Promise<AccountOf> {
  const { pendingAccounts } = config._internal
  // Signing out meanwhile takes it off the list, and asking for another one puts that in its place.
  const isWanted = () => pendingAccounts.get(key) === making
  try {
    const account = await making.account
    if (isWanted()) await settle(config, chainId, type, account, making.params)
    return account
  } catch (cause) {
    if (isWanted()) setState(config, chainId, type, { status: 'ERROR', error: toError(cause) })
    throw cause
  } finally {
    if (isWanted()) pendingAccounts.delete(key)
  }
}

function make(signer: Signer, params: AccountConfig, config: LatchkeyConfig): Promise<AccountOf> {
  const { chain, connections } = config.coreStore.getState()
  const { signerType } = signer
  const transport = rpcTransport({ ...connections.get(chain.id), signerType })
  const making = Promise.resolve().then(() =>
    toLightAccount({ ...params, client: createClient({ chain, transport }), owner: signer.toViemAccount() }),
  )
  // Whoever holds the INITIALIZING state may not look at its promise.
  making.catch(() => {})
  return making
}

async function settle(
  config: LatchkeyConfig,
  chainId: number,
  type: AccountType,
  account: AccountOf,
  params: AccountConfig,
): Promise<void> {
  const initCode = await account.getFactoryInitCode()
  const known: AccountConfig = { ...params, version: account.version, accountAddress: account.address, initCode }
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withAccount(state.accounts, chainId, type, { status: 'READY', account }),
    accountConfigs: withAccount(state.accountConfigs, chainId, type, known),
  }))
}

function setState(config: LatchkeyConfig, chainId: number, type: AccountType, account: AccountState): void {
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withAccount(state.accounts, chainId, type, account),
  }))
}

function toError(cause: unknown): Error {
  if (cause instanceof Error) return cause
  return new BaseError('The account could not be made.', { code: 'ACCOUNT_NOT_FOUND', cause })
}

function unsupported(): BaseError {
  return new BaseError('Unsupported account type', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: ['Supported: LightAccount'],
  })
}

function notConnected(): BaseError {
  return new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['Sign in first: `authenticate` of the signer, or useAuthModal().openAuthModal().'],
  })
}
