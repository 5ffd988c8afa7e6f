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
 * link then brings `aa-is-signup=true` back; it still does when the mail is asked for again before it was used.
 */
export async function sendMail(
  context: SignerContext,
  request: EmailParameters,
  signal: AbortSignal,
): Promise<SentMail> {
  const { client, frame, newcomers, sessionMs, now } = context
  const { email, expirationSeconds = Math.ceil(sessionMs / 1000) } = request
  const [targetPublicKey, known] = await Promise.all([frame.publicKey(), client.lookup(email, signal)])
  const isNew = known === null || newcomers.has(email.toLowerCase())
  const redirectParams = redirectText(request.redirectParams, isNew)
  const body: EmailAuthRequest = {
    email,
    targetPublicKey,
    expirationSeconds,
    ...(redirectParams && { redirectParams }),
  }
  const mailEndsMs = now() + expirationSeconds * 1000
  if (known !== null) return { temporary: await client.auth(body, signal), mailEndsMs }
  const temporary = await client.signup(body, signal)
  newcomers.add(email.toLowerCase())
  return { temporary, mailEndsMs }
}

function redirectText(given: URLSearchParams | undefined, isNew: boolean): string | undefined {
  if (!isNew) return given?.toString() || undefined
  const rest = [...(given ?? [])].filter(([name]) => name !== linkParameters.isSignup)
  return new URLSearchParams([[linkParameters.isSignup, 'true'], ...rest]).toString()
}
