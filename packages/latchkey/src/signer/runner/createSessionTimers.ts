import type { SignerParameters } from '../types.ts'
import type { SignerContext } from './createContext.ts'
import type { MachineEvent, MachineState } from './machine/types.ts'

export type SessionTimers = {
  /** Sets the timers from the machine's state. */
  follow(state: MachineState): void
}

export declare namespace createSessionTimers {
  type Parameters = {
    context: SignerContext
    sessionConfig: SignerParameters['sessionConfig']
    dispatch: (event: MachineEvent) => void
    /** Called with the session's expiration time once it is near, otherwise with null. */
    onExpiring: (expiresAt: number | null) => void
  }
  type ReturnType = SessionTimers
}

const defaultNoticeMs = 60_000

/**
 * Creates a signer's timers for the end of the session, the notice before it, and the expiration of a sign-in e-mail.
 */
export function createSessionTimers(parameters: createSessionTimers.Parameters): createSessionTimers.ReturnType {
  const { context, sessionConfig, dispatch, onExpiring } = parameters
  const { now, store } = context
  const noticeMs = sessionConfig?.expiringNoticeMs ?? defaultNoticeMs
  let endsMs: number | null = null
  const end = watchTime({
    now,
    onReached() {
      const session = store.read()
      // Another tab may have extended the session.
      dispatch(session ? { type: 'SESSION_CHANGED', session } : { type: 'EXPIRED' })
    },
  })
  const notice = watchTime({ now, onReached: () => onExpiring(endsMs) })
  const mail = watchTime({ now, onReached: () => dispatch({ type: 'MAIL_EXPIRED' }) })
  return {
    follow({ status, session, mailEndsMs }) {
      endsMs = status === 'CONNECTED' && session ? session.expirationDateMs : null
      end.arm(endsMs)
      if (endsMs === null || endsMs - noticeMs > now()) onExpiring(null)
      notice.arm(endsMs === null ? null : endsMs - noticeMs)
      mail.arm(status === 'AWAITING_EMAIL_AUTH' ? mailEndsMs : null)
    },
  }
}

export declare namespace watchTime {
  type Parameters = { now: () => number; onReached: () => void }
  type ReturnType = {
    /** Watches a time (milliseconds since 1970); null stops watching. */
    arm(atMs: number | null): void
  }
}

// Longest delay that `setTimeout` supports. Longer delays are split.
const longestDelayMs = 2 ** 31 - 1

/** Calls `onReached` once the watched time is reached, even if the device slept at that time. */
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
      // Reports each time once, or again after the clock was set back.
      if (atMs === watched && !(isReached && atMs !== null && now() < atMs)) return
      clearTimeout(timer)
      watched = atMs
      isReached = false
      if (atMs !== null) wait(atMs)
    },
  }
}
