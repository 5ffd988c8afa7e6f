import { useCallback, useSyncExternalStore } from 'react'
import type { Signer } from '../../signer/types.ts'

const events = { confirmation: 'confirmationChanged', deletion: 'deletionChanged' } as const

/** Returns a member of the signer that has its own change event; null without a signer. */
export function useSignerPart<name extends keyof typeof events>(
  signer: Signer | null,
  name: name,
): Signer[name] | null {
  const watch = useCallback((listener: () => void) => signer?.on(events[name], listener) ?? (() => {}), [signer, name])
  return useSyncExternalStore(
    watch,
    () => signer?.[name] ?? null,
    () => null,
  )
}
