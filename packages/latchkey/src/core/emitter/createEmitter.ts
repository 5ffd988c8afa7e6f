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
  let listeners: { readonly [name in keyof events]?: readonly { hear(...values: events[name]): void }[] } = {}
  return {
    on(name, hear) {
      // An entry of its own, so that the same function added twice is two listeners.
      const entry = { hear }
      listeners = { ...listeners, [name]: [...(listeners[name] ?? []), entry] }
      return () => {
        listeners = { ...listeners, [name]: listeners[name]?.filter((known) => known !== entry) }
      }
    },
    emit(name, ...values) {
      for (const { hear } of listeners[name] ?? []) {
        try {
          hear(...values)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    clear() {
      listeners = {}
    },
  }
}
