import { type EmailAuthRequest, linkParameters } from '../../wire/signerApi.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { EmailParameters } from '../types.ts'

/**
 * Has a sign-in mail sent and answers the organization it is for. A person nobody has heard of is signed up, and the
 * link then brings `aa-is-signup=true` back; it still does when the mail is asked for again before it was used.
 */
export async function sendMail(context: SignerContext, request: EmailParameters, signal: AbortSignal): Promise<string> {
  const { client, frame, newcomers, sessionMs } = context
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
  if (known !== null) return client.auth(body, signal)
  const orgId = await client.signup(body, signal)
  newcomers.add(email.toLowerCase())
  return orgId
}

function redirectText(given: URLSearchParams | undefined, isNew: boolean): string | undefined {
  if (!isNew) return given?.toString() || undefined
  const rest = [...(given ?? [])].filter(([name]) => name !== linkParameters.isSignup)
  return new URLSearchParams([[linkParameters.isSignup, 'true'], ...rest]).toString()
}
