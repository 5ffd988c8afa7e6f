import type { SessionKey } from '../Credentials.ts'
import { activity } from '../runner/api/createCustodyApi.ts'
import { listSessionKeys } from '../runner/api/sessionKeys.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import { getActiveSession } from './getActiveSession.ts'

/** Lists the unexpired keys that sign for the signed-in user. */
export async function listSessions(runner: SignerRunner): Promise<SessionKey[]> {
  const { custodyApi, now } = runner.context
  const { session, user, send } = getActiveSession(runner)
  const own = session.deviceKey
  const keys = await send((stamp, signal) => listSessionKeys(custodyApi, user, { stamp, own, signal }))
  return keys.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > now())
}

const maxKeysAtOnce = 20

/**
 * Revokes keys that sign for the signed-in user: the given keys, or by default all expiring keys except the session's
 * own. Returns the ids of the revoked keys.
 */
export async function revokeSessions(runner: SignerRunner, given?: readonly string[] | undefined): Promise<string[]> {
  const { user, send } = getActiveSession(runner)
  const { orgId, userId } = user
  const ids = given ? [...given] : await listOtherSessions(runner)
  for (let from = 0; from < ids.length; from += maxKeysAtOnce) {
    const apiKeyIds = ids.slice(from, from + maxKeysAtOnce)
    const call = activity('deleteApiKeys', orgId, { userId, apiKeyIds })
    await send((stamp, signal) => runner.context.custodyApi.submit(call, stamp, signal))
  }
  return ids
}

async function listOtherSessions(runner: SignerRunner): Promise<string[]> {
  const keys = await listSessions(runner)
  return keys.filter(({ isCurrent, expiresAtMs }) => !isCurrent && expiresAtMs !== null).map(({ id }) => id)
}
