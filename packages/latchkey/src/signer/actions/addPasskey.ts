import { BaseError } from '../../core/errors/BaseError.ts'
import type { PasskeyCreationOptions } from '../../web/platform.ts'
import { custodyPaths } from '../../wire/custody.ts'
import { createAuthenticatorsBody } from '../custody/bodies.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { strongStamperOf } from '../passkey/strongStamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'

/**
 * Makes a passkey and registers it for the user signed in, by the session's key or a second prompt. Answers the ids of
 * the new authenticators. `REQUEST_NOT_AUTHORIZED` when the sign-in is too long ago for that.
 */
export async function addPasskey(
  context: SignerContext,
  runner: SignerRunner,
  options?: PasskeyCreationOptions | undefined,
): Promise<string[]> {
  const { custody, passkeys, scope } = context
  const session = getSession(context, runner)
  const signal = scope.signal()
  const { orgId, userId, email } = session.user
  const passkey = await passkeys.create({ username: email ?? 'anonymous', options })
  const body = (timestampMs: number) => createAuthenticatorsBody({ orgId, userId, passkey, timestampMs })
  const call = { path: custodyPaths.createAuthenticators, body, resultKey: 'createAuthenticatorsResult' }
  const stamp = strongStamperOf(context, session)
  const added = sendInTurn(context, session, () => custody.submit(call, stamp, signal))
  const result = await added.catch(async (error: unknown) => {
    // Of no use to anybody. After any other failure it may be the person's all the same.
    if (error instanceof BaseError && error.code === 'REQUEST_NOT_AUTHORIZED') await passkeys.forget(passkey)
    throw error
  })
  const ids = (result as { authenticatorIds?: unknown } | undefined)?.authenticatorIds
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw new ResponseInvalidError('a new passkey')
  return ids
}
