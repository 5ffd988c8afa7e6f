import type { PendingDeletion } from '../../signer/types.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import { useSigner } from './useSigner.ts'

export declare namespace useDeletion {
  type ReturnType = PendingDeletion | null
}

/**
 * The account that a sign-in was refused for because it is being deleted, with `cancel`; null while there is none. The
 * dialog offers it by itself.
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
  return useSignerPart(useSigner(), 'deletion')
}
