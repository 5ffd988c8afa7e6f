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
     * Prevents creating a missing account.
     *
     * @default false
     */
    skipCreate?: boolean | undefined
  }
  type ReturnType<type extends AccountType = AccountType> = {
    /** Account, once it is ready. */
    account?: AccountOf<type> | undefined
    /** Address. Already available while a known account is being restored. */
    address?: Address | undefined
    isLoadingAccount: boolean
    /** Error of the account; null if none. */
    error: CodedError | null
  }
}

/**
 * Returns the signed-in user's account and creates it if it is missing. With different `accountParams`, the account of
 * those parameters becomes the current account.
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
  isWanted: boolean
  isMissing: boolean
  status: AccountState['status']
}

/** Creates the account if it is missing or the parameters change. Logs a failure without retrying. */
function useAccountCreation(parameters: CreationParameters): void {
  const { config, type, accountParams, isWanted, isMissing, status } = parameters
  const key = toKey(accountParams)
  const tried = useRef(key)
  // The dependencies do not include the account: two components with different accounts would switch forever.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; `key` stands for the parameters
  useEffect(() => {
    const isRenamed = tried.current !== key
    tried.current = key
    if (!isWanted || (status === 'ERROR' && !isRenamed)) return
    createAccount({ type, accountParams }, config).catch((error) => {
      // After a sign-out, this failure is expected.
      if (getSignerStatus(config).isConnected) console.error(error)
    })
  }, [isWanted, isMissing, key, type, config])
}

/** Returns a key that depends on the parameters' content, not on their object identity. */
function toKey(accountParams: AccountConfig = {}): string {
  return JSON.stringify(accountParams, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
