import type { Session } from '../../session/Session.ts'
import { activity, type Stamper } from '../api/createCustodyApi.ts'
import { revokeStampKey } from '../api/sessionKeys.ts'
import type { SignerContext } from '../createContext.ts'

/**
 * Restores a stored e-mail session: the frame decrypts the stored bundle, and the service returns the user. A session
 * with a device key needs neither.
 */
export async function restoreSession(
  context: SignerContext,
  session: Session & { type: 'email' },
  signal: AbortSignal,
): Promise<Session> {
  const { signerApi, deletions, deviceKeys, authFrame } = context
  if (session.deviceKey !== undefined && (await deviceKeys.has(session.deviceKey))) return session
  await authFrame.inject(session.bundle, signal)
  const asked = signerApi.whoami(session.user.orgId, authFrame.stamp, signal)
  const user = await deletions.watch(asked, authFrame.stamp)
  return { ...session, user }
}

/**
 * Converts a new session to a `device` session: creates a device key and registers it, stamped by the credential of the
 * sign-in. Then revokes the e-mail link's key, which disables the link.
 */
export async function toDeviceSession(
  context: SignerContext,
  session: Session,
  stamp: Stamper,
  signal: AbortSignal,
): Promise<Session> {
  const { custodyApi, deviceKeys, isDeviceSession, now } = context
  if (!isDeviceSession) return session
  const { orgId, userId } = session.user
  const publicKey = await deviceKeys.create(session.expirationDateMs)
  // A private window may refuse to store keys. The frame or the passkey then stamps requests.
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
    await custodyApi.submit(call, stamp, signal)
  } catch (error) {
    await deviceKeys.remove(publicKey).catch(() => undefined)
    throw error
  }
  // Best effort, because the key expires anyway.
  if (session.type === 'email') await revokeStampKey(custodyApi, session.user, stamp).catch(() => undefined)
  return { ...session, deviceKey: publicKey }
}

/**
 * Ends a session's keys: revokes its key, and deletes the frame's key and the device key. Best effort and time-limited,
 * because the user must be able to sign out even if no server responds.
 */
export async function signOut(context: SignerContext, session: Session | null): Promise<void> {
  const { custodyApi, deviceKeys, authFrame } = context
  const deviceKey = session?.deviceKey
  const isFrameKey = session?.type === 'email' && deviceKey === undefined
  // Starts the reset before other requests, so that the next sign-in opens a new frame.
  const reset = authFrame.reset(isFrameKey ? (stamp) => revokeStampKey(custodyApi, session.user, stamp) : undefined)
  if (session && deviceKey !== undefined) {
    await revokeStampKey(custodyApi, session.user, deviceKeys.stamper(deviceKey)).catch(() => undefined)
    await deviceKeys.remove(deviceKey).catch(() => undefined)
  }
  await reset
}
