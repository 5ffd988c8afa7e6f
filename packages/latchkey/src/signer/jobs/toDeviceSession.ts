import { activity } from '../custody/activity.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { revokeStampKey } from '../custody/revokeStampKey.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/**
 * Where sessions are of the kind `device`: makes a key of this browser and registers it, stamped by what has just
 * signed in. The key of the mail is then revoked, so that its link opens nothing more.
 */
export async function toDeviceSession(
  context: SignerContext,
  session: Session,
  stamp: Stamper,
  signal: AbortSignal,
): Promise<Session> {
  const { custody, deviceKeys, isDeviceSession, now } = context
  if (!isDeviceSession) return session
  const { orgId, userId } = session.user
  const publicKey = await deviceKeys.create(session.expirationDateMs)
  // A private window may refuse to keep one: frame or passkey sign then, as in any other session.
  if (publicKey === null) return session
  const expirationSeconds = String(Math.ceil((session.expirationDateMs - now()) / 1000))
  const apiKey = { publicKey, curveType: 'API_KEY_CURVE_P256', expirationSeconds }
  const call =
    session.type === 'passkey'
      ? activity('stampLogin', orgId, { publicKey, expirationSeconds })
      : activity('createApiKeys', orgId, (timestampMs) => ({
          userId,
          apiKeys: [{ apiKeyName: `device-${timestampMs}`, ...apiKey }],
        }))
  try {
    await custody.submit(call, stamp, signal)
  } catch (error) {
    await deviceKeys.remove(publicKey).catch(() => undefined)
    throw error
  }
  // Best effort: it ends by itself.
  if (session.type === 'email') await revokeStampKey(context, session.user, stamp).catch(() => undefined)
  return { ...session, deviceKey: publicKey }
}
