import { type EmailAuthRequest, linkParameters } from '../../wire/signerApi.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { TemporarySession } from '../session/TemporarySession.ts'
import type { EmailParameters } from '../types.ts'

export type SentMail = {
  temporary: TemporarySession
  /** When the link can no longer be used, in milliseconds since 1970. */
  mailEndsMs: number
}

/**
 * Has a sign-in mail sent and answers what to keep of it. A person nobody has heard of is signed up, and the
 * link then brings `aa-is-signup=true` back; it still does when the mail is asked for again before it was used, where a
 * service finds such people, too.
 */
export async function sendMail(
  context: SignerContext,
  request: EmailParameters,
  signal: AbortSignal,
): Promise<SentMail> {
  const { client, frame, store, sessionMs, now } = context
  const { email, expirationSeconds = Math.ceil(sessionMs / 1000) } = request
  const [targetPublicKey, known] = await Promise.all([frame.publicKey(), client.lookup(email, signal)])
  const last = store.readTemporary()
  const isNewUser = known === null || (last?.isNewUser === true && last.orgId === known)
  const redirectParams = redirectText(request.redirectParams, isNewUser)
  const body: EmailAuthRequest = {
    email,
    targetPublicKey,
    expirationSeconds,
    ...(redirectParams && { redirectParams }),
  }
  const mailEndsMs = now() + expirationSeconds * 1000
  const sent = await (known === null ? client.signup(body, signal) : client.auth(body, signal))
  return { temporary: { ...sent, ...(isNewUser && { isNewUser }) }, mailEndsMs }
}

function redirectText(given: URLSearchParams | undefined, isNewUser: boolean): string | undefined {
  if (!isNewUser) return given?.toString() || undefined
  const rest = [...(given ?? [])].filter(([name]) => name !== linkParameters.isSignup)
  return new URLSearchParams([[linkParameters.isSignup, 'true'], ...rest]).toString()
}
