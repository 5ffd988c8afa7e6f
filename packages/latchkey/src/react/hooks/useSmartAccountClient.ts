import { useSyncExternalStore } from 'react'
import type { Address } from 'viem'
import { getSmartAccountClient } from '../../wallet/actions/getSmartAccountClient.ts'
import { watchSmartAccountClient } from '../../wallet/actions/watchSmartAccountClient.ts'
import { useLatchkeyContext } from '../context.ts'
import { useAccount } from './useAccount.ts'

type Parameters = getSmartAccountClient.Parameters

export declare namespace useSmartAccountClient {
  type ReturnType = {
    /** Of a light account: with `transferOwnership`. */
    client?: getSmartAccountClient.ReturnType['client'] | undefined
    address?: Address | undefined
    isLoadingClient: boolean
    /** Why there is no account, and so no client; null while there is nothing to tell of. */
    error: Error | null
  }
}

const onServer: getSmartAccountClient.ReturnType = { isLoadingClient: true }

/** The client that sends user operations. The same object as long as account, chain and parameters are the same. */
export function useSmartAccountClient(parameters: Parameters): useSmartAccountClient.ReturnType {
  const { config } = useLatchkeyContext('useSmartAccountClient')
  const { isLoadingAccount } = useAccount({ type: parameters.type, accountParams: parameters.accountParams })
  const {
    client,
    address,
    isLoadingClient,
    error = null,
  } = useSyncExternalStore(
    watchSmartAccountClient(parameters, config),
    () => getSmartAccountClient(parameters, config),
    () => onServer,
  )
  return { client, address, isLoadingClient: isLoadingClient || (isLoadingAccount && !client), error }
}
