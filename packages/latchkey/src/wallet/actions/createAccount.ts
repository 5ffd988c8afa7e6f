import { createClient } from 'viem'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { rpcTransport } from '../client/rpcTransport.ts'
import { clientOnly } from '../errors/clientOnly.ts'
import { withAccount } from '../store/accountStates.ts'
import type { AccountConfig, AccountOf, AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'
import { getAccount } from './getAccount.ts'

export declare namespace createAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    /** What the account is made from, where nothing is known of it from an earlier visit. */
    accountParams?: AccountConfig | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = AccountOf<type>
  type ErrorType = BaseError | toLightAccount.ErrorType
}

/**
 * The account of the person signed in on the active chain. One that is ready or being made is shared. Its state goes
 * INITIALIZING (RECONNECTING where it was known), then READY or ERROR; calling again after ERROR tries again.
 * Throws `CLIENT_ONLY`, 'Signer not connected' (`SIGNER_NOT_CONNECTED`), 'Unsupported account type'.
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
  const { pendingAccounts } = config._internal
  const key = `${chain.id}:${type}`
  const pending = pendingAccounts.get(key)
  if (pending) return pending
  const state = getAccount({ type }, config)
  if (state.status === 'READY') return state.account

  const making = make(signer, { ...accountParams, ...accountConfigs[chain.id]?.[type] }, config)
  pendingAccounts.set(key, making)
  if (state.status !== 'RECONNECTING') setState(config, chain.id, type, { status: 'INITIALIZING', account: making })
  try {
    const account = await making
    // Signing out meanwhile took it off the list: then nobody wants it any more.
    if (pendingAccounts.get(key) === making) await settle(config, chain.id, type, account, accountParams)
    return account
  } catch (cause) {
    if (pendingAccounts.get(key) === making)
      setState(config, chain.id, type, { status: 'ERROR', error: toError(cause) })
    throw cause
  } finally {
    if (pendingAccounts.get(key) === making) pendingAccounts.delete(key)
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
  params: AccountConfig = {},
): Promise<void> {
  const initCode = await account.getFactoryInitCode()
  const known: AccountConfig = { ...params, version: account.version, accountAddress: account.address, initCode }
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withAccount(state.accounts, chainId, type, { status: 'READY', account }),
    accountConfigs: withAccount(state.accountConfigs, chainId, type, {
      ...state.accountConfigs[chainId]?.[type],
      ...known,
    }),
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
