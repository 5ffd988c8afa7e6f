import { activity } from '../custody/activity.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { strongStamperOf } from '../passkey/strongStamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'

/**
 * Takes a passkey away from the user signed in. `REQUEST_NOT_AUTHORIZED` when the sign-in is too long ago for that; the
 * service also refuses to take the last way in.
 */
export async function removeAuthenticator(context: SignerContext, runner: SignerRunner, id: string): Promise<void> {
  const session = getSession(context, runner)
  const { orgId, userId } = session.user
  const call = activity('deleteAuthenticators', orgId, { userId, authenticatorIds: [id] })
  const stamp = strongStamperOf(context, session)
  await sendInTurn(context, session, () => context.custody.submit(call, stamp, context.scope.signal()))
}
