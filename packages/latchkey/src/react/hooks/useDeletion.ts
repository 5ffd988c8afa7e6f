import type { PendingDeletion } from '../../signer/types.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import { useSignerOf } from './useSigner.ts'

export declare namespace useDeletion {
  type ReturnType = PendingDeletion | null
}

/**
 * Returns the account for which a sign-in was refused because it is being deleted, with a `cancel` function; null if
 * there is no such account. The dialog offers to cancel automatically.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useDeletion } from 'latchkey/react'
 *
 * export function Deleting() {
 *   const deletion = useDeletion()
 *   if (!deletion) return null
 *   return <button onClick={() => deletion.cancel()}>Cancel the deletion</button>
 * }
 * ```
 */
export function useDeletion(): useDeletion.ReturnType {
  return useSignerPart(useSignerOf('useDeletion'), 'deletion')
}
