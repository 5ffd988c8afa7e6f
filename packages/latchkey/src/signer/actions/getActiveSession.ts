import { NotAuthenticatedError } from '../errors/NotAuthenticatedError.ts'
import type { Stamper } from '../runner/api/createCustodyApi.ts'
import type { SignerContext } from '../runner/createContext.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { Session } from '../session/Session.ts'
import type { User } from '../types.ts'

/** The session in use. */
export type ActiveSession = {
  session: Session
  user: User
  /** Aborts when the session ends. */
  signal: AbortSignal
  /** Each stamp is a prompt for the person's passkey. */
  promptsEachTime: boolean
  /**
   * Sends what the session stamps. `by`: `session`, or `person` for what changes who may sign or shows a secret: the
   * person's passkey where the session has one, even when a key of this browser signs the rest. `own`: of the caller,
   * beside the session's.
   */
  send<result>(
    request: (stamp: Stamper, signal: AbortSignal) => Promise<result>,
    by?: 'session' | 'person',
    own?: AbortSignal | undefined,
  ): Promise<result>
}

/**
 * The session in use. Reads the store too, so that one past its expiry ends here even when no timer fired (a laptop
 * asleep).
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

/** Stamps with the key of this browser, the frame's key, or a prompt for the session's passkey. */
function createStamper({ authFrame, passkeys, deviceKeys }: SignerContext, session: Session): Stamper {
  const { type, deviceKey, user } = session
  const own = type === 'email' ? authFrame.stamp : passkeys.stamper({ credentialId: user.credentialId })
  if (deviceKey === undefined) return own
  const device = deviceKeys.stamper(deviceKey)
  // Cleared site data include the key; a passkey is still there then.
  return async (body) => (type === 'email' || (await deviceKeys.has(deviceKey)) ? device(body) : own(body))
}

/** An e-mail session has no passkey: the service takes its key while the sign-in is recent. */
function createPersonStamper(context: SignerContext, session: Session): Stamper {
  const { credentialId } = session.user
  return session.type === 'passkey' ? context.passkeys.stamper({ credentialId }) : createStamper(context, session)
}
