export type Emitter<events extends Record<string, readonly unknown[]>> = {
  /** Adds a listener; returns a function that removes it. */
  on<name extends keyof events>(name: name, listener: (...values: events[name]) => void): () => void
  emit<name extends keyof events>(name: name, ...values: events[name]): void
  /** Removes every listener. */
  clear(): void
}

export declare namespace createEmitter {
  type ReturnType<events extends Record<string, readonly unknown[]>> = Emitter<events>
}

/**
 * Creates a typed event emitter. If a listener throws, the other listeners still run. The error is rethrown in a
 * microtask, so the platform reports it as uncaught.
 */
export function createEmitter<events extends Record<string, readonly unknown[]>>(): createEmitter.ReturnType<events> {
  let listeners: { readonly [name in keyof events]?: readonly { listener(...values: events[name]): void }[] } = {}
  return {
    on(name, listener) {
      // A new object, so that the same function added twice is two listeners.
      const entry = { listener }
      listeners = { ...listeners, [name]: [...(listeners[name] ?? []), entry] }
      return () => {
        listeners = { ...listeners, [name]: listeners[name]?.filter((known) => known !== entry) }
      }
    },
    emit(name, ...values) {
      for (const { listener } of listeners[name] ?? []) {
        try {
          listener(...values)
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
