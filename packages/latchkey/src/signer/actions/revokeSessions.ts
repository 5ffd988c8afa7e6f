import { activity } from '../custody/activity.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import { listSessions } from './listSessions.ts'

/** As many as one activity takes. */
const mostAtOnce = 20

/**
 * Ends keys that sign for the user signed in: those named, else every one that expires but the session's own. Answers
 * the ids ended.
 */
export async function revokeSessions(
  context: SignerContext,
  runner: SignerRunner,
  given?: readonly string[] | undefined,
): Promise<string[]> {
  const session = getSession(context, runner)
  const ids = given ? [...given] : await othersOf(context, runner)
  const { orgId, userId } = session.user
  const stamp = stamperOf(context, session)
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    const apiKeyIds = ids.slice(from, from + mostAtOnce)
    const call = activity('deleteApiKeys', orgId, { userId, apiKeyIds })
    await sendInTurn(context, session, () => context.custody.submit(call, stamp, context.scope.signal()))
  }
  return ids
}

async function othersOf(context: SignerContext, runner: SignerRunner): Promise<string[]> {
  const keys = await listSessions(context, runner)
  return keys.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).map(({ id }) => id)
}
