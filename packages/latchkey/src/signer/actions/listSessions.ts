import { sessionKeys } from '../custody/sessionKeys.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import type { SessionKey } from '../types.ts'

/** The keys that sign for the user signed in and have not expired. */
export async function listSessions(context: SignerContext, runner: SignerRunner): Promise<SessionKey[]> {
  const session = getSession(context, runner)
  const by = { stamp: stamperOf(context, session), own: session.deviceKey, signal: context.scope.signal() }
  const keys = await sendInTurn(context, session, () => sessionKeys(context.custody, session.user, by))
  return keys.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > context.now())
}
