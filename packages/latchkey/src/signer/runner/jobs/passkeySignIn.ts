import type { PasskeySignupParameters } from '../../AuthParameters.ts'
import { toNoUserFoundError } from '../../errors/explain.ts'
import type { Session } from '../../session/Session.ts'
import type { Stamper } from '../api/createCustodyApi.ts'
import { readCredential } from '../api/sessionKeys.ts'
import type { SignerContext } from '../createContext.ts'
import type { PasskeyRequest } from '../machine/types.ts'
import { toDeviceSession } from './session.ts'

/**
 * Prompts for any passkey of this site and asks the service which user owns it. The request contains the root
 * organization, because the user's organization is not yet known.
 *
 * @throws `NO_USER_FOUND`, `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function logInWithPasskey(
  context: SignerContext,
  request: PasskeyRequest & { createNew: false },
  signal: AbortSignal,
): Promise<Session> {
  const { signerApi, deletions, passkeys, rootOrgId, sessionMs, now } = context
  const root = await rootOrgId()
  const { signed } = request
  const stamp = passkeys.stamper({ signal, isImmediate: request.mediation === 'immediate' })
  let credentialId = signed && readCredential(signed.stamp)
  const stampAndRead: Stamper = async (body) => {
    const made = await stamp(body)
    credentialId = readCredential(made)
    return made
  }
  const asked = signerApi.whoami(root, signed ?? stampAndRead, signal)
  const stampAgain: Stamper = (body) => passkeys.stamper({ credentialId })(body)
  const person = await deletions.watch(asked, stampAgain).catch((error: unknown) => {
    throw toNoUserFoundError(error)
  })
  const { email, orgId, address, userId } = person
  const session: Session = {
    type: 'passkey',
    user: { ...(email === undefined ? {} : { email }), orgId, address, userId, credentialId },
    expirationDateMs: now() + sessionMs,
  }
  return toDeviceSession(context, session, passkeys.stamper({ credentialId, signal }), signal)
}

/** Creates a passkey and a new user. The passkey's name is passed only to the authenticator. */
export async function signUpWithPasskey(
  context: SignerContext,
  { username, creationOpts }: PasskeySignupParameters,
  signal: AbortSignal,
): Promise<Session> {
  const { signerApi, passkeys, sessionMs, now } = context
  const passkey = await passkeys.create({ username, options: creationOpts, signal })
  const { orgId, userId, address } = await signerApi.signupWithPasskey(passkey, signal)
  const { credentialId } = passkey.attestation
  const user = { orgId, address, userId, credentialId }
  const session: Session = { type: 'passkey', user, expirationDateMs: now() + sessionMs }
  return toDeviceSession(context, session, passkeys.stamper({ credentialId, signal }), signal)
}
