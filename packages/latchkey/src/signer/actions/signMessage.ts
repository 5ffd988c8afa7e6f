import { type Hex, hashMessage, type SignableMessage } from 'viem'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { signRawMessage } from './signRawMessage.ts'

/** Signs a message (EIP-191). 65 bytes, `v` 27 or 28. */
export async function signMessage(
  context: SignerContext,
  runner: SignerRunner,
  message: SignableMessage,
): Promise<Hex> {
  return signRawMessage(context, runner, hashMessage(message))
}
