import { useSyncExternalStore } from 'react'
import type { Address } from 'viem'
import { getAccount, watchAccount } from '../../wallet/actions/account.ts'
import { disconnectedState } from '../../wallet/store/clientState.ts'
import type { AccountConfig, AccountOf, AccountState, AccountType } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useAccountCreation } from './useAccountCreation.ts'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useAccount {
  /** `skipCreate`: do not create the account by itself. */
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    accountParams?: AccountConfig | undefined
    skipCreate?: boolean | undefined
  }
  /** `account` only when ready; `address` also while a known account is being brought back. */
  type ReturnType<type extends AccountType = AccountType> = {
    account?: AccountOf<type> | undefined
    address?: Address | undefined
    isLoadingAccount: boolean
    /** Why there is no account; null while there is none to tell of. */
    error: Error | null
  }
}

/** The account of the person signed in. It is created when there is none; naming another makes that the one. */
export function useAccount<type extends AccountType>({
  type,
  accountParams,
  skipCreate = false,
}: useAccount.Parameters<type>): useAccount.ReturnType<type> {
  const { config } = useLatchkeyContext('useAccount')
  const { isConnected, isDisconnected } = useSignerStatus()
  const read = () => getAccount({ type }, config)
  const state = useSyncExternalStore<AccountState<type>>(watchAccount(type, config), read, () => disconnectedState)
  const { status } = state
  const isMissing = isConnected && !skipCreate && (status === 'DISCONNECTED' || status === 'RECONNECTING')
  useAccountCreation({ config, type, accountParams, isMissing, status, isWanted: isConnected && !skipCreate })

  return {
    account: state.status === 'READY' ? state.account : undefined,
    address: state.status === 'READY' || state.status === 'RECONNECTING' ? state.account.address : undefined,
    isLoadingAccount:
      status === 'INITIALIZING' || status === 'RECONNECTING' || isMissing || (!isConnected && !isDisconnected),
    error: state.status === 'ERROR' ? state.error : null,
  }
}
