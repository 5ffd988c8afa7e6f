import { registerPasskey } from '../passkey/registerPasskey.ts'
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
  const signUp = () => client.signupWithPasskey(passkey, signal)
  const { orgId, userId, address } = await registerPasskey(context, passkey, signUp)
  const { credentialId } = passkey.attestation
  const user = { orgId, address, userId, credentialId }
  const session: Session = { type: 'passkey', user, expirationDateMs: now() + sessionMs }
  return toDeviceSession(context, session, passkeys.stamper({ credentialId, signal }), signal)
}
