import { NotAuthenticatedError } from '../errors/NotAuthenticatedError.ts'
import type { Stamper } from '../runner/api/createCustodyApi.ts'
import type { SignerContext } from '../runner/createContext.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { Session } from '../session/Session.ts'
import type { User } from '../types.ts'

/** Session in use. */
export type ActiveSession = {
  session: Session
  user: User
  /** Aborts when the session ends. */
  signal: AbortSignal
  /** Whether each stamp prompts for the user's passkey. */
  promptsEachTime: boolean
  /**
   * Sends a request stamped by the session. `by`: `session`, or `person` for changes of credentials and for secrets.
   * `person` uses the session's passkey if there is one, even if a device key signs all other requests. `own`: the
   * caller's signal, in addition to the session's signal.
   */
  send<result>(
    request: (stamp: Stamper, signal: AbortSignal) => Promise<result>,
    by?: 'session' | 'person',
    own?: AbortSignal | undefined,
  ): Promise<result>
}

/**
 * Returns the session in use. Also reads the store, so that an expired session ends here even when no timer fired (a
 * sleeping laptop).
 *
 * @throws `SIGNER_NOT_AUTHENTICATED`.
 */
export function getActiveSession(runner: SignerRunner): ActiveSession {
  const { context } = runner
  if (runner.state().status === 'CONNECTED' && !context.store.read()) runner.dispatch({ type: 'EXPIRED' })
  const { status, session } = runner.state()
  if (status !== 'CONNECTED' || !session) throw new NotAuthenticatedError()

  const { passkeys, deletions, scope } = context
  const signal = scope.signal()
  const promptsEachTime = session.type === 'passkey' && session.deviceKey === undefined
  return {
    session,
    user: session.user,
    signal,
    promptsEachTime,
    send(request, by = 'session', own) {
      const either = own ? AbortSignal.any([signal, own]) : signal
      const stamp = by === 'person' ? createPersonStamper(context, session) : createStamper(context, session)
      const run = () => deletions.watch(request(stamp, either), createPersonStamper(context, session))
      return promptsEachTime ? passkeys.inTurn(run) : run()
    },
  }
}

/** Stamps with the device key, with the frame's key, or by a prompt for the session's passkey. */
function createStamper({ authFrame, passkeys, deviceKeys }: SignerContext, session: Session): Stamper {
  const { type, deviceKey, user } = session
  const own = type === 'email' ? authFrame.stamp : passkeys.stamper({ credentialId: user.credentialId })
  if (deviceKey === undefined) return own
  const device = deviceKeys.stamper(deviceKey)
  // Clearing site data removes the device key; the passkey still works.
  return async (body) => (type === 'email' || (await deviceKeys.has(deviceKey)) ? device(body) : own(body))
}

/** An e-mail session has no passkey: the service accepts its key while the sign-in is recent. */
function createPersonStamper(context: SignerContext, session: Session): Stamper {
  const { credentialId } = session.user
  return session.type === 'passkey' ? context.passkeys.stamper({ credentialId }) : createStamper(context, session)
}
