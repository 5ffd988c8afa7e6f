import type { PendingConfirmation } from '../../pending.ts'

export type Pending<value> = {
  /** Returns the oldest pending value; null if there is none. */
  current(): value | null
  /** Adds a value; the returned function removes it. */
  begin(value: value): () => void
  /** Calls `listener` whenever `current` has changed. */
  follow(listener: () => void): void
}

export type Confirmations = Pending<PendingConfirmation>

/** Tracks pending values, for example requests that wait for a confirmation outside of the page. */
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
