import { useEffect, useRef } from 'react'
import type { Address } from 'viem'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getAccount, watchAccount } from '../../wallet/actions/account.ts'
import { createAccount } from '../../wallet/actions/createAccount.ts'
import { getSignerStatus } from '../../wallet/actions/signer.ts'
import type { AccountConfig, AccountOf, AccountState, AccountType, LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useConfigValue } from '../query/useConfigValue.ts'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useAccount {
  type Parameters<type extends AccountType = AccountType> = {
    type: type
    accountParams?: AccountConfig | undefined
    /**
     * Do not create the account when there is none.
     *
     * @default false
     */
    skipCreate?: boolean | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = {
    /** Only when ready. */
    account?: AccountOf<type> | undefined
    /** Also while a known account is being restored. */
    address?: Address | undefined
    isLoadingAccount: boolean
    /** Why there is no account; null when nothing has failed. */
    error: CodedError | null
  }
}

/**
 * The account of the signed-in user. Created when there is none; other `accountParams` make that account the current
 * one.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAccount } from 'latchkey/react'
 *
 * export function Address() {
 *   const { address, isLoadingAccount } = useAccount({ type: 'LightAccount' })
 *   return <p>{isLoadingAccount ? 'Loading' : address}</p>
 * }
 * ```
 */
export function useAccount<type extends AccountType>({
  type,
  accountParams,
  skipCreate = false,
}: useAccount.Parameters<type>): useAccount.ReturnType<type> {
  const { config } = useLatchkeyContext('useAccount')
  const { isConnected, isDisconnected } = useSignerStatus()
  const state = useConfigValue<AccountState<type>>(
    'useAccount',
    (config) => watchAccount(type, config),
    (config) => getAccount({ type }, config),
  )
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

type CreationParameters = {
  config: LatchkeyConfig
  type: AccountType
  accountParams: AccountConfig | undefined
  /** A user is signed in, and the account may be created. */
  isWanted: boolean
  /** There is none yet. */
  isMissing: boolean
  status: AccountState['status']
}

/** Creates the account when it is missing or other parameters name another. A failure is logged, and not retried. */
function useAccountCreation(parameters: CreationParameters): void {
  const { config, type, accountParams, isWanted, isMissing, status } = parameters
  const key = toKey(accountParams)
  const tried = useRef(key)
  // The account itself is no dependency: two components that name different ones would switch forever.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; `key` stands for the parameters
  useEffect(() => {
    const isRenamed = tried.current !== key
    tried.current = key
    if (!isWanted || (status === 'ERROR' && !isRenamed)) return
    createAccount({ type, accountParams }, config).catch((error) => {
      // After a sign-out meanwhile it is no failure.
      if (getSignerStatus(config).isConnected) console.error(error)
    })
  }, [isWanted, isMissing, key, type, config])
}

/** Equal for equal parameters, also of different objects. */
function toKey(accountParams: AccountConfig = {}): string {
  return JSON.stringify(accountParams, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
