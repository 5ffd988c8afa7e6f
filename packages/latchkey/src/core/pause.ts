/** Waits `ms` milliseconds, or until `signal` aborts. Callers check `signal` afterwards. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (signal?.aborted) done()
    signal?.addEventListener('abort', done)
  })
}
