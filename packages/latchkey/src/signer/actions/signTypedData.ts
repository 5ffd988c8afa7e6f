import { type Hex, hashTypedData } from 'viem'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { signRawMessage } from './signRawMessage.ts'

/** Signs typed data (EIP-712). 65 bytes, `v` 27 or 28. */
export async function signTypedData(
  context: SignerContext,
  runner: SignerRunner,
  definition: Parameters<typeof hashTypedData>[0],
): Promise<Hex> {
  return signRawMessage(context, runner, hashTypedData(definition))
}
