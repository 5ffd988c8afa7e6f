import type { Address } from 'viem'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getSmartAccountClient, watchSmartAccountClient } from '../../wallet/actions/smartAccountClient.ts'
import type { ClientOf } from '../../wallet/client/AccountKind.ts'
import type { AccountType } from '../../wallet/store/types.ts'
import { useConfigValue } from '../query/useConfigValue.ts'
import { useAccount } from './useAccount.ts'

export declare namespace useSmartAccountClient {
  type Parameters<type extends AccountType = AccountType> = getSmartAccountClient.Parameters<type>
  type ReturnType<type extends AccountType = AccountType> = {
    /** Client extended with the actions of its account type: `transferOwnership`, or `updateOwners` and plugins. */
    client?: ClientOf<type> | undefined
    address?: Address | undefined
    isLoadingClient: boolean
    /** Reason why there is no account, and therefore no client; null if nothing has failed. */
    error: CodedError | null
  }
}

/**
 * Returns the client that sends user operations. Returns the same object for the same account, chain and parameters.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSmartAccountClient } from 'latchkey/react'
 *
 * export function Sponsored() {
 *   const gasManagerConfig = { policyId: 'your-policy' }
 *   const { client, isLoadingClient } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig })
 *   return <p>{isLoadingClient ? 'Loading' : client?.smartAccount.address}</p>
 * }
 * ```
 */
export function useSmartAccountClient<type extends AccountType>(
  parameters: useSmartAccountClient.Parameters<type>,
): useSmartAccountClient.ReturnType<type> {
  const {
    client,
    address,
    isLoadingClient,
    error = null,
  } = useConfigValue<getSmartAccountClient.ReturnType<type>>(
    'useSmartAccountClient',
    (config) => watchSmartAccountClient(parameters, config),
    (config) => getSmartAccountClient(parameters, config),
  )
  const { isLoadingAccount } = useAccount({ type: parameters.type, accountParams: parameters.accountParams })
  return { client, address, isLoadingClient: isLoadingClient || (isLoadingAccount && !client), error }
}
