import { useEffect, useSyncExternalStore } from 'react'
import type { Address } from 'viem'
import { createAccount } from '../../wallet/actions/createAccount.ts'
import { getAccount } from '../../wallet/actions/getAccount.ts'
import { watchAccount } from '../../wallet/actions/watchAccount.ts'
import type { AccountConfig, AccountOf, AccountState, AccountType } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    accountParams?: AccountConfig
    /** Do not create the account by itself. */
    skipCreate?: boolean
  }
  type ReturnType<type extends AccountType = AccountType> = {
    /** Only when ready. */
    account?: AccountOf<type>
    /** Also while a known account is being brought back. */
    address?: Address
    isLoadingAccount: boolean
  }
}

const onServer: AccountState = { status: 'DISCONNECTED' }

/** The account of the person signed in. It is created when there is none; one that failed is not tried again. */
export function useAccount<type extends AccountType>(
  parameters: useAccount.Parameters<type>,
): useAccount.ReturnType<type> {
  const { type, accountParams, skipCreate = false } = parameters
  const { config } = useLatchkeyContext('useAccount')
  const { isConnected, isDisconnected } = useSignerStatus()
  const state = useSyncExternalStore(
    watchAccount(type, config),
    () => getAccount({ type }, config),
    () => onServer,
  )
  const isMissing = isConnected && !skipCreate && (state.status === 'DISCONNECTED' || state.status === 'RECONNECTING')

  // biome-ignore lint/correctness/useExhaustiveDependencies: the parameters of the moment it was missing count
  useEffect(() => {
    // The failure is kept in the account's state; the console tells the developer.
    if (isMissing) createAccount({ type, accountParams }, config).catch(console.error)
  }, [isMissing, state.status, type, config])

  const isComing = state.status === 'INITIALIZING' || state.status === 'RECONNECTING'
  return {
    account: state.status === 'READY' ? state.account : undefined,
    address: state.status === 'READY' || state.status === 'RECONNECTING' ? state.account.address : undefined,
    isLoadingAccount: isComing || isMissing || (!isConnected && !isDisconnected),
  }
}
