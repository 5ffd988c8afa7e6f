export type SessionScope = {
  /** Aborts when the session in use ends. */
  signal(): AbortSignal
  /** The session in use has ended, or another has taken its place. */
  end(): void
}

/** What is done for a session ends with it. */
export function createSessionScope(): SessionScope {
  let present = new AbortController()
  return {
    signal: () => present.signal,
    end() {
      present.abort()
      present = new AbortController()
    },
  }
}
