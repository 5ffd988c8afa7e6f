import { activity } from '../custody/activity.ts'
import { EmailInitSessionMissingError } from '../errors/authErrors.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import type { CodeParameters } from '../types.ts'
import { openBundle } from './openBundle.ts'

/**
 * Trades the code of the mail this browser last asked for in for a bundle, and opens it. The code goes to the
 * key-custody service itself, bound to this frame's key: nobody on the way can use it elsewhere. Refusals:
 * `OTP_INVALID`, `OTP_EXPIRED`.
 */
export async function completeCode(
  context: SignerContext,
  { code }: CodeParameters,
  signal: AbortSignal,
): Promise<Session> {
  const { custody, frame, store } = context
  const { orgId, otpId } = store.readTemporary() ?? {}
  if (!orgId || !otpId) throw new EmailInitSessionMissingError()
  const targetPublicKey = await frame.publicKey()
  const parameters = { otpId, otpCode: code.replace(/\s/g, ''), targetPublicKey }
  const result = await custody.submit(activity('otpAuth', orgId, parameters), null, signal)
  const bundle = (result as { credentialBundle?: unknown } | undefined)?.credentialBundle
  if (typeof bundle !== 'string') throw new ResponseInvalidError('a code')
  return openBundle(context, { bundle, orgId }, signal)
}
