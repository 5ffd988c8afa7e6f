import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { getActiveSession } from '../actions/getActiveSession.ts'
import { isSameSession } from '../session/Session.ts'
import type { MachineState } from './machine/types.ts'
import type { SignerRunner } from './runMachine.ts'

export type ReturnCheck = {
  follow(state: MachineState): void
  /** Checks the session after the user has returned to the page. */
  check(): Promise<void>
}

/** Minimum time between two checks, in milliseconds. */
const restMs = 10_000

/**
 * Detects a session that was ended elsewhere. When the user returns to the page, asks the service once which user owns
 * the session's key. Uses no timer: a hidden page can wait, and any refused call also reveals the end.
 */
export function checkOnReturn(runner: SignerRunner, onEnded: (error: BaseError) => void): ReturnCheck {
  const { context } = runner
  let checkedMs = context.now()
  return {
    follow({ status }) {
      // The sign-in or restored session has just been checked.
      if (status !== 'CONNECTED') checkedMs = context.now()
    },
    async check() {
      const { status, session } = runner.state()
      if (status !== 'CONNECTED' || !session || context.now() - checkedMs < restMs) return
      // A passkey session without a device key has no key to revoke, and a check would prompt.
      if (session.type === 'passkey' && session.deviceKey === undefined) return
      checkedMs = context.now()
      try {
        const { user, send } = getActiveSession(runner)
        await send((stamp, signal) => context.signerApi.whoami(user.orgId, stamp, signal))
      } catch (error) {
        const { session: now } = runner.state()
        if (!isRefused(error) || !isSameSession(now, session)) return
        context.store.noteEnded(session)
        runner.dispatch({ type: 'EXPIRED' })
        onEnded(endedError(error))
      }
    },
  }
}

/** Checks that the service itself refused the request. Proxies and captive portals do not send these codes. */
function isRefused(error: unknown): boolean {
  return error instanceof HttpError && [401, 403, 404].includes(error.status) && error.serverCode !== undefined
}

function endedError(cause: unknown): BaseError {
  return new BaseError('Your session has ended.', {
    code: 'SESSION_EXPIRED',
    metaMessages: ['Sign in again.'],
    cause,
  })
}
