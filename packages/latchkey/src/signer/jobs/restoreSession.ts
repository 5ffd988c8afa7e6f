import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/**
 * Takes up a stored e-mail session: the frame opens its bundle again, the service says whose it is. Where a key of this
 * browser signs for it neither is needed.
 */
export async function restoreSession(
  context: SignerContext,
  session: Session & { type: 'email' },
  signal: AbortSignal,
): Promise<Session> {
  const { client, deviceKeys, frame } = context
  if (session.deviceKey !== undefined && (await deviceKeys.has(session.deviceKey))) return session
  await frame.inject(session.bundle, signal)
  const user = await client.whoami(session.user.orgId, frame.stamp, signal)
  return { ...session, user }
}
