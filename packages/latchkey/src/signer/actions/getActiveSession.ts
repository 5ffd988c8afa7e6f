import { NotAuthenticatedError } from '../errors/NotAuthenticatedError.ts'
import type { Stamper } from '../runner/api/createCustodyApi.ts'
import type { SignerContext } from '../runner/createContext.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { Session } from '../session/Session.ts'
import type { User } from '../types.ts'

/** Session in use, with functions for its requests. */
export type ActiveSession = {
  session: Session
  user: User
  /** Aborts when the session ends. */
  signal: AbortSignal
  /** Whether each stamp prompts for the user's passkey. */
  promptsEachTime: boolean
  /**
   * Sends a request with a stamp of the session. `by`: `session`, or `person` for secrets and changes of credentials.
   * `person` uses the session's passkey, if there is one, even if a device key stamps all other requests. `own`: signal
   * of the caller, in addition to the session's signal.
   */
  send<result>(
    request: (stamp: Stamper, signal: AbortSignal) => Promise<result>,
    by?: 'session' | 'person',
    own?: AbortSignal | undefined,
  ): Promise<result>
}

/**
 * Returns the session in use. Also reads the store, which ends an expired session even if no timer fired (a sleeping
 * laptop).
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

/** Creates a stamper that uses the device key, the frame's key, or a prompt for the session's passkey. */
function createStamper({ authFrame, passkeys, deviceKeys }: SignerContext, session: Session): Stamper {
  const { type, deviceKey, user } = session
  const own = type === 'email' ? authFrame.stamp : passkeys.stamper({ credentialId: user.credentialId })
  if (deviceKey === undefined) return own
  const device = deviceKeys.stamper(deviceKey)
  // If clearing site data has removed the device key, the passkey still works.
  return async (body) => (type === 'email' || (await deviceKeys.has(deviceKey)) ? device(body) : own(body))
}

/**
 * Creates the stamper for `person`. An e-mail session has no passkey; the service accepts its key while the sign-in is
 * recent.
 */
function createPersonStamper(context: SignerContext, session: Session): Stamper {
  const { credentialId } = session.user
  return session.type === 'passkey' ? context.passkeys.stamper({ credentialId }) : createStamper(context, session)
}
