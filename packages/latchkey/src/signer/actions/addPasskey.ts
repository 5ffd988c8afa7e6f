import type { PasskeyCreationOptions } from '../../web/platform.ts'
import { custodyPaths } from '../../wire/custody.ts'
import { createAuthenticatorsBody } from '../custody/bodies.ts'
import { responseInvalidError } from '../errors.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from './getSession.ts'

/**
 * Makes a passkey and registers it for the user signed in, by the frame's key or a second prompt. Answers the ids of
 * the new authenticators.
 */
export async function addPasskey(
  context: SignerContext,
  runner: SignerRunner,
  options?: PasskeyCreationOptions | undefined,
): Promise<string[]> {
  const { custody, passkeys, now } = context
  const session = getSession(context, runner)
  const { orgId, userId, email } = session.user
  const passkey = await passkeys.create({ username: email ?? 'anonymous', options })
  const body = createAuthenticatorsBody({ orgId, userId, passkey, timestampMs: now() })
  const request = { path: custodyPaths.createAuthenticators, body, resultKey: 'createAuthenticatorsResult' }
  const stamp = stamperOf(context, session)
  const result = await sendInTurn(context, session, () => custody.submit(request, stamp))
  const ids = (result as { authenticatorIds?: unknown } | undefined)?.authenticatorIds
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw responseInvalidError('a new passkey')
  return ids
}
