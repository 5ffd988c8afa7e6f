import { activity } from '../api/createCustodyApi.ts'
import { listSessionKeys } from '../api/sessionKeys.ts'
import type { SignerContext } from '../createContext.ts'
import type { SessionKey } from '../types.ts'
import type { ActiveSession } from './getActiveSession.ts'

/** The keys that sign for the user signed in and have not expired. */
export async function listSessions(
  { custodyApi, now }: SignerContext,
  { session, user, send }: ActiveSession,
): Promise<SessionKey[]> {
  const own = session.deviceKey
  const keys = await send((stamp, signal) => listSessionKeys(custodyApi, user, { stamp, own, signal }))
  return keys.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > now())
}

/** As many as one activity takes. */
const maxKeysAtOnce = 20

/**
 * Ends keys that sign for the user signed in: those named, else every one that expires but the session's own. Returns
 * the ids ended.
 */
export async function revokeSessions(
  context: SignerContext,
  active: ActiveSession,
  given?: readonly string[] | undefined,
): Promise<string[]> {
  const { orgId, userId } = active.user
  const ids = given ? [...given] : await listOtherSessions(context, active)
  for (let from = 0; from < ids.length; from += maxKeysAtOnce) {
    const apiKeyIds = ids.slice(from, from + maxKeysAtOnce)
    const call = activity('deleteApiKeys', orgId, { userId, apiKeyIds })
    await active.send((stamp, signal) => context.custodyApi.submit(call, stamp, signal))
  }
  return ids
}

async function listOtherSessions(context: SignerContext, active: ActiveSession): Promise<string[]> {
  const keys = await listSessions(context, active)
  return keys.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).map(({ id }) => id)
}
