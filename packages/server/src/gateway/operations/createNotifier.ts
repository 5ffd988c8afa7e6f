/** Notifier that remembers signals, so that a change between reading and waiting is not missed. */
export type Notifier = {
  notify(): void
  /** Waits at most `ms` milliseconds for a signal, including one sent since the last wait. */
  wait(ms: number): Promise<void>
}

export function createNotifier(): Notifier {
  let isNotified = false
  let wake: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async wait(ms) {
      if (!isNotified && ms > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      wake = undefined
      isNotified = false
    },
  }
}
