import type { PendingConfirmation } from '../../signer/pending.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import { useSignerOf } from './useSigner.ts'

export declare namespace useConfirmation {
  type ReturnType = PendingConfirmation | null
}

/**
 * Returns the pending request that the user must confirm by e-mail, such as an export or a new passkey; null if there
 * is none.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useConfirmation } from 'latchkey/react'
 *
 * export function Waiting() {
 *   const confirmation = useConfirmation()
 *   if (!confirmation) return null
 *   return <p role="status">{confirmation.text} <button onClick={confirmation.cancel}>Cancel</button></p>
 * }
 * ```
 */
export function useConfirmation(): useConfirmation.ReturnType {
  return useSignerPart(useSignerOf('useConfirmation'), 'confirmation')
}
