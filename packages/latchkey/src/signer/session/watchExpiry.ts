import type { Session } from './Session.ts'

export declare namespace watchExpiry {
  type Parameters = { now: () => number; onExpired: () => void }
  type ReturnType = {
    /** Watches this session from now on; null watches none. */
    arm(session: Session | null): void
  }
}

// The longest delay a timer takes; a longer wait is made of several.
const longestDelayMs = 2 ** 31 - 1

/** Calls `onExpired` when the session watched is past its expiry. */
export function watchExpiry({ now, onExpired }: watchExpiry.Parameters): watchExpiry.ReturnType {
  let timer: ReturnType<typeof setTimeout> | undefined
  let watched: number | undefined

  const wait = (expiry: number) => {
    timer = setTimeout(
      () => {
        if (now() < expiry) return wait(expiry)
        watched = undefined
        onExpired()
      },
      Math.min(Math.max(expiry - now(), 0), longestDelayMs),
    )
  }
  return {
    arm(session) {
      if (session?.expirationDateMs === watched) return
      clearTimeout(timer)
      watched = session?.expirationDateMs
      if (watched !== undefined) wait(watched)
    },
  }
}
