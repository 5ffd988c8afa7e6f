import type { Stamper } from '../custody/createCustodyClient.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/** What signs requests in a session: a key of this browser, the frame's, or a prompt for the session's passkey. */
export function stamperOf({ frame, passkeys, deviceKeys }: SignerContext, session: Session): Stamper {
  const { type, deviceKey, user } = session
  const own = type === 'email' ? frame.stamp : passkeys.stamper({ credentialId: user.credentialId })
  if (deviceKey === undefined) return own
  const device = deviceKeys.stamper(deviceKey)
  // Cleared site data take the key along; a passkey is still there then.
  return async (body) => (type === 'email' || (await deviceKeys.has(deviceKey)) ? device(body) : own(body))
}
