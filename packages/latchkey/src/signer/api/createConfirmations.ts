import type { PendingConfirmation } from '../types.ts'

export type Confirmations = {
  /** The one that has waited longest. */
  current(): PendingConfirmation | null
  /** Adds one; the function returned takes it away. */
  begin(confirmation: PendingConfirmation): () => void
  /** Calls `listener` whenever `current` has changed. */
  follow(listener: () => void): void
}

/** What waits until the person confirms it outside the page. */
export function createConfirmations(): Confirmations {
  const waiting = new Set<PendingConfirmation>()
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    current: () => [...waiting][0] ?? null,
    begin(confirmation) {
      waiting.add(confirmation)
      changed()
      return () => {
        if (waiting.delete(confirmation)) changed()
      }
    },
    follow: (listener) => void listeners.push(listener),
  }
}
