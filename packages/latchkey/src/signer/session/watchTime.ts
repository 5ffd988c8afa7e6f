export declare namespace watchTime {
  type Parameters = { now: () => number; onReached: () => void }
  type ReturnType = {
    /** Watches this moment (milliseconds since 1970) from now on; null watches none. */
    arm(atMs: number | null): void
  }
}

// The longest delay a timer takes; a longer wait is made of several.
const longestDelayMs = 2 ** 31 - 1

/** Calls `onReached` once when the moment watched has come, even when it came while the machine slept. */
export function watchTime({ now, onReached }: watchTime.Parameters): watchTime.ReturnType {
  let timer: ReturnType<typeof setTimeout> | undefined
  let watched: number | null = null
  let isReached = false

  const wait = (atMs: number) => {
    const look = () => {
      if (now() < atMs) return wait(atMs)
      isReached = true
      onReached()
    }
    timer = setTimeout(look, Math.min(Math.max(atMs - now(), 0), longestDelayMs))
  }
  return {
    arm(atMs) {
      // The same moment is told once, unless it is still ahead of a clock that was set back.
      if (atMs === watched && !(isReached && atMs !== null && now() < atMs)) return
      clearTimeout(timer)
      watched = atMs
      isReached = false
      if (atMs !== null) wait(atMs)
    },
  }
}
