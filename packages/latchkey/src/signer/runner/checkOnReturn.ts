import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import { getActiveSession } from '../actions/getActiveSession.ts'
import { isSameSession } from '../session/Session.ts'
import type { MachineState } from './machine/types.ts'
import type { SignerRunner } from './runMachine.ts'

export type ReturnCheck = {
  follow(state: MachineState): void
  /** The person has come back to the page. */
  check(): Promise<void>
}

/** Between two checks, in milliseconds. */
const restMs = 10_000

/**
 * Notices that the session was ended from elsewhere: when the person comes back to the page, the service is asked once
 * whose its key is. Not by a timer: a page that is not looked at need not know, and a refused call says the same.
 */
export function checkOnReturn(runner: SignerRunner, onEnded: (error: BaseError) => void): ReturnCheck {
  const { context } = runner
  let checkedMs = context.now()
  return {
    follow({ status }) {
      // A sign-in or a restored session has just been checked by the service.
      if (status !== 'CONNECTED') checkedMs = context.now()
    },
    async check() {
      const { status, session } = runner.state()
      if (status !== 'CONNECTED' || !session || context.now() - checkedMs < restMs) return
      // It has no key of its own that could be revoked, and a check would be a prompt.
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

/** By the service itself: a proxy or a hotel's page has no such code. */
function isRefused(error: unknown): boolean {
  return error instanceof HttpError && [401, 403, 404].includes(error.status) && error.serverCode !== undefined
}

function endedError(cause: unknown): BaseError {
  return new BaseError('Your session was ended from elsewhere.', {
    code: 'SESSION_EXPIRED',
    metaMessages: ['Sign in again.'],
    cause,
  })
}
