/** Notifier that remembers signals, so that a change between reading and waiting is not missed. */
export type Bell = {
  ring(): void
  /** Waits at most `ms` milliseconds for a signal, including one sent since the last wait. */
  wait(ms: number): Promise<void>
}

export function createNotifier(): Bell {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async wait(ms) {
      if (!hasRung && ms > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      wake = undefined
      hasRung = false
    },
  }
}
