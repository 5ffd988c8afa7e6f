import type { PendingDeletion } from '../../signer/pending.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import { useSignerOf } from './useSigner.ts'

export declare namespace useDeletion {
  type ReturnType = PendingDeletion | null
}

/**
 * Returns a pending account deletion that made a sign-in fail, with a function that cancels the deletion; null if there
 * is none. The sign-in dialog shows this offer automatically.
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
