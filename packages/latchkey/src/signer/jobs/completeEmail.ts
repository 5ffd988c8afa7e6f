import { EmailInitSessionMissingError } from '../errors/authErrors.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import type { BundleParameters } from '../types.ts'
import { openBundle } from './openBundle.ts'

/**
 * Opens the bundle of a mail link in the frame and asks who it signs in. The organization is the one given, else the
 * one of the mail this browser last asked for, else the one of the stored session on the same bundle.
 */
export async function completeEmail(
  context: SignerContext,
  request: BundleParameters,
  signal: AbortSignal,
): Promise<Session> {
  const { store, deviceKeys } = context
  const { bundle } = request
  const stored = store.read()
  const same = stored?.type === 'email' && stored.bundle === bundle ? stored : undefined
  // The link has done its work: the key behind it gave way to that of this browser.
  if (same?.deviceKey !== undefined && (await deviceKeys.has(same.deviceKey))) return same
  const orgId = request.orgId ?? store.readTemporary()?.orgId ?? same?.user.orgId
  if (!orgId) throw new EmailInitSessionMissingError()
  const session = await openBundle(context, { bundle, orgId }, signal)
  // The same link again does not lengthen the session: the key behind it has not become younger.
  return same ? { ...session, expirationDateMs: same.expirationDateMs } : session
}
