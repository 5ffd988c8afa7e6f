import { getSignerStatus, watchSignerStatus } from '../../wallet/actions/signer.ts'
import type { SignerStatusObject } from '../../wallet/store/types.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useSignerStatus {
  type ReturnType = SignerStatusObject
}

/**
 * Returns the signer's status, and a flag for each group of statuses.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSignerStatus } from 'latchkey/react'
 *
 * export function Status() {
 *   const { isConnected, isInitializing } = useSignerStatus()
 *   if (isInitializing) return <p>Loading</p>
 *   return <p>{isConnected ? 'Signed in' : 'Signed out'}</p>
 * }
 * ```
 */
export function useSignerStatus(): useSignerStatus.ReturnType {
  return useConfigValue('useSignerStatus', watchSignerStatus, getSignerStatus)
}
