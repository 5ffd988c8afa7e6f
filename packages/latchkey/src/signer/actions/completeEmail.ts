import { emailInitSessionMissingError } from '../errors.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import type { BundleParameters } from '../types.ts'

/**
 * Opens the bundle of a mail link in the frame and asks who it signs in. The organization is the one given, else the
 * one of the mail this browser last asked for, else the one of the stored session on the same bundle.
 */
export async function completeEmail(
  context: SignerContext,
  request: BundleParameters,
  signal: AbortSignal,
): Promise<Session> {
  const { client, frame, store, sessionMs, now } = context
  const { bundle } = request
  const stored = store.read()
  const same = stored?.type === 'email' && stored.bundle === bundle ? stored : undefined
  const orgId = request.orgId ?? store.readTemporary()?.orgId ?? same?.user.orgId
  if (!orgId) throw emailInitSessionMissingError()
  await frame.inject(bundle, signal)
  const user = await client.whoami(orgId, frame.stamp, signal)
  context.newcomers.delete(user.email?.toLowerCase() ?? '')
  // The same link again does not lengthen the session: the key behind it has not become younger.
  return { type: 'email', user, bundle, expirationDateMs: same?.expirationDateMs ?? now() + sessionMs }
}
