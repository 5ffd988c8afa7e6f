import { type Hex, isHex, size } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'

/** Signs a 32-byte digest as it is; in a passkey session with a prompt. 65 bytes, `v` 27 or 28. */
export async function signRawMessage(context: SignerContext, runner: SignerRunner, hash: Hex): Promise<Hex> {
  const session = getSession(context, runner)
  if (!isHex(hash) || size(hash) !== 32) {
    throw new BaseError('Only a digest of 32 bytes can be signed as it is.', {
      code: 'REQUEST_INVALID',
      metaMessages: ['Pass hex with `0x` and 64 digits, or use `signMessage`.'],
    })
  }
  const stamp = stamperOf(context, session)
  const signal = context.scope.signal()
  return sendInTurn(context, session, () => context.client.signPayload(session.user, hash, stamp, signal))
}
