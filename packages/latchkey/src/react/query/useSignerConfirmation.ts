import { useCallback, useSyncExternalStore } from 'react'
import type { PendingConfirmation, Signer } from '../../signer/types.ts'

/** What of this signer waits for the person's confirmation by mail. */
export function useSignerConfirmation(signer: Signer | null): PendingConfirmation | null {
  const watch = useCallback(
    (listener: () => void) => signer?.on('confirmationChanged', listener) ?? (() => {}),
    [signer],
  )
  return useSyncExternalStore(
    watch,
    () => signer?.confirmation ?? null,
    () => null,
  )
}
