/** One `signal` member that aborts when any of those given does; none when none is given. */
export function withSignals(...given: readonly (AbortSignal | undefined)[]): { signal?: AbortSignal } {
  const signals = given.filter((signal) => signal !== undefined)
  const [only] = signals
  if (only === undefined || signals.length === 1) return only === undefined ? {} : { signal: only }
  const both = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) both.abort(signal.reason)
    else signal.addEventListener('abort', () => both.abort(signal.reason), { once: true })
  }
  return { signal: both.signal }
}
