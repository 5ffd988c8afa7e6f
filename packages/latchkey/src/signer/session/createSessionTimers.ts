import type { MachineEvent, MachineState } from '../machine/types.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { SignerEvents, SignerParameters } from '../types.ts'
import { watchTime } from './watchTime.ts'

export type SessionTimers = {
  /** Sets the clocks by the machine's state. */
  follow(state: MachineState): void
  /** What a listener that comes now has missed. */
  present(): Pick<SignerEvents, 'expiring'> | undefined
}

export declare namespace createSessionTimers {
  type Parameters = {
    context: SignerContext
    sessionConfig: SignerParameters['sessionConfig']
    dispatch: (event: MachineEvent) => void
    onExpiring: (expiresAt: number) => void
  }
  type ReturnType = SessionTimers
}

const defaultNoticeMs = 60_000

/** The clocks of a signer: when its session ends, shortly before, and when a mail can no longer be used. */
export function createSessionTimers(parameters: createSessionTimers.Parameters): createSessionTimers.ReturnType {
  const { context, sessionConfig, dispatch, onExpiring } = parameters
  const { now, store } = context
  const noticeMs = sessionConfig?.expiringNoticeMs ?? defaultNoticeMs
  let endsMs: number | null = null
  const end = watchTime({
    now,
    onReached() {
      const session = store.read()
      // Another tab may have renewed what this one sees expire.
      dispatch(session ? { type: 'SESSION_CHANGED', session } : { type: 'EXPIRED' })
    },
  })
  const notice = watchTime({ now, onReached: () => endsMs !== null && onExpiring(endsMs) })
  const mail = watchTime({ now, onReached: () => dispatch({ type: 'MAIL_EXPIRED' }) })
  return {
    follow({ status, session, mailEndsMs }) {
      endsMs = status === 'CONNECTED' && session ? session.expirationDateMs : null
      end.arm(endsMs)
      notice.arm(endsMs === null ? null : endsMs - noticeMs)
      mail.arm(status === 'AWAITING_EMAIL_AUTH' ? mailEndsMs : null)
    },
    present: () => (endsMs !== null && endsMs - noticeMs <= now() ? { expiring: [endsMs] } : undefined),
  }
}
