import { revokeStampKey } from '../custody/revokeStampKey.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/**
 * Ends what a session could sign with: has its key revoked, and deletes the keys of frame and browser. Best effort and
 * bounded in time, since signing out must work when no server does.
 */
export async function signOut(context: SignerContext, session: Session | null): Promise<void> {
  const { deviceKeys, frame } = context
  const deviceKey = session?.deviceKey
  const isFrameKey = session?.type === 'email' && deviceKey === undefined
  // Begun at once, so that the next sign-in opens a frame of its own.
  const forgotten = frame.forget(isFrameKey ? (stamp) => revokeStampKey(context, session.user, stamp) : undefined)
  if (session && deviceKey !== undefined) {
    await revokeStampKey(context, session.user, deviceKeys.stamper(deviceKey)).catch(() => undefined)
    await deviceKeys.remove(deviceKey).catch(() => undefined)
  }
  await forgotten
}
