import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import type { PasskeySignupParameters } from '../types.ts'
import { toDeviceSession } from './toDeviceSession.ts'

/** Makes a passkey, and a new person with it. The name goes to the authenticator alone. */
export async function signUpWithPasskey(
  context: SignerContext,
  { username, creationOpts }: PasskeySignupParameters,
  signal: AbortSignal,
): Promise<Session> {
  const { client, passkeys, sessionMs, now } = context
  const passkey = await passkeys.create({ username, options: creationOpts, signal })
  const { orgId, userId, address } = await client.signupWithPasskey(passkey, signal)
  const { credentialId } = passkey.attestation
  const user = { orgId, address, userId, credentialId }
  const session: Session = { type: 'passkey', user, expirationDateMs: now() + sessionMs }
  return toDeviceSession(context, session, passkeys.stamper({ credentialId, signal }), signal)
}
