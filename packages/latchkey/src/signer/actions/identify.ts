import { type AccessTokenResponse, type StampedRequest, signerApiPaths } from 'latchkey-protocol'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { isText } from '../guards.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { Session } from '../session/Session.ts'
import type { WaitOptions } from '../WaitOptions.ts'
import { getActiveSession } from './getActiveSession.ts'

/** Minimum remaining lifetime of a cached token, so that the app's request arrives before the token expires. */
const minLifeMs = 30_000

/** Access tokens by session, in memory only. */
const tokens = new WeakMap<Session, AccessTokenResponse>()

/** Returns an access token of the session, requesting a new one shortly before the last one expires. */
export async function getAccessToken(runner: SignerRunner, { signal: own }: WaitOptions = {}): Promise<string> {
  const { session, user, send } = getActiveSession(runner)
  const { now, signerApi } = runner.context
  const known = tokens.get(session)
  if (known && known.expiresAtMs - now() > minLifeMs) return known.accessToken
  const response = await send(
    (stamp, signal) =>
      signerApi.stampForServers(user.orgId, stamp, (stampedRequest) =>
        signerApi.call(signerApiPaths.accessToken, { stampedRequest }, signal),
      ),
    'session',
    own,
  )
  const { accessToken, expiresAtMs } = (response ?? {}) as Partial<AccessTokenResponse>
  if (!isText(accessToken) || typeof expiresAtMs !== 'number') throw new ResponseInvalidError('an access token')
  tokens.set(session, { accessToken, expiresAtMs })
  return accessToken
}

/** Returns a `whoami` request that the session has stamped. */
export async function stampWhoami(runner: SignerRunner): Promise<StampedRequest> {
  const { user, send } = getActiveSession(runner)
  return send((stamp) => runner.context.signerApi.stampForServers(user.orgId, stamp, async (request) => request))
}
