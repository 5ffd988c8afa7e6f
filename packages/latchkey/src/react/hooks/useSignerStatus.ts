import { useSyncExternalStore } from 'react'
import { getSignerStatus, watchSignerStatus } from '../../wallet/actions/signer.ts'
import type { SignerStatusObject } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'

export declare namespace useSignerStatus {
  type ReturnType = SignerStatusObject
}

/** `{ status, isInitializing, isAuthenticating, isConnected, isDisconnected }` */
export function useSignerStatus(): useSignerStatus.ReturnType {
  const { config } = useLatchkeyContext('useSignerStatus')
  const read = () => getSignerStatus(config)
  return useSyncExternalStore(watchSignerStatus(config), read, read)
}
