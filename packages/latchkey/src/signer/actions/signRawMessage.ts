import type { Hex } from 'viem'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getAuthDetails } from './getAuthDetails.ts'

/** Signs a 32-byte digest as it is. 65 bytes, `v` 27 or 28. */
export async function signRawMessage(context: SignerContext, runner: SignerRunner, hash: Hex): Promise<Hex> {
  return context.client.signPayload(getAuthDetails(context, runner), hash, context.frame.stamp)
}
