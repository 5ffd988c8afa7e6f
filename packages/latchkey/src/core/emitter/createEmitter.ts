export type Emitter<events extends Record<string, readonly unknown[]>> = {
  /** Adds a listener; the function returned takes it away again. */
  on<name extends keyof events>(name: name, listener: (...values: events[name]) => void): () => void
  emit<name extends keyof events>(name: name, ...values: events[name]): void
  /** Takes every listener away. */
  clear(): void
}

export declare namespace createEmitter {
  type ReturnType<events extends Record<string, readonly unknown[]>> = Emitter<events>
}

/**
 * A typed event emitter. A listener that throws stops neither the other listeners nor the emitter: its error is
 * thrown from a microtask, where the platform reports it as uncaught.
 */
export function createEmitter<events extends Record<string, readonly unknown[]>>(): createEmitter.ReturnType<events> {
  const listeners = new Map<keyof events, Set<(...values: never[]) => void>>()
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set)
      // A wrapper, so that the same function added twice is two listeners.
      const entry = (...values: never[]) => (listener as unknown as (...values: never[]) => void)(...values)
      set.add(entry)
      return () => {
        set.delete(entry)
      }
    },
    emit(name, ...values) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(...(values as unknown as never[]))
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    clear() {
      listeners.clear()
    },
  }
}
