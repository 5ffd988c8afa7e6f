import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import { toDeviceSession } from './toDeviceSession.ts'

/** Lets the frame open a bundle and asks the service whose it is: a session that begins now. */
export async function openBundle(
  context: SignerContext,
  { bundle, orgId }: { bundle: string; orgId: string },
  signal: AbortSignal,
): Promise<Session> {
  const { client, frame, sessionMs, now } = context
  await frame.inject(bundle, signal)
  const user = await client.whoami(orgId, frame.stamp, signal)
  const session: Session = { type: 'email', user, bundle, expirationDateMs: now() + sessionMs }
  return toDeviceSession(context, session, frame.stamp, signal)
}
