import type { PendingConfirmation } from '../../types.ts'

export type Pending<value> = {
  /** The one that has waited longest. */
  current(): value | null
  /** Adds one; the function returned takes it away. */
  begin(value: value): () => void
  /** Calls `listener` whenever `current` has changed. */
  follow(listener: () => void): void
}

export type Confirmations = Pending<PendingConfirmation>

/** What waits for the person, such as until they confirm it outside the page. */
export function createPending<value>(): Pending<value> {
  const waiting = new Set<value>()
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    current: () => [...waiting][0] ?? null,
    begin(value) {
      waiting.add(value)
      changed()
      return () => {
        if (waiting.delete(value)) changed()
      }
    },
    follow: (listener) => void listeners.push(listener),
  }
}
