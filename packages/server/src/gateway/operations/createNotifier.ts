/** Notifier that remembers a signal, so that a change between reading and waiting is not missed. */
export type Bell = {
  ring(): void
  /** Waits for a signal since the last wait, for at most `ms` milliseconds. */
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
