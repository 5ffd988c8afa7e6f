import { whoamiBody } from '../custody/bodies.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import type { AuthParameters, User } from '../types.ts'

/** Signs somebody in or up. Passkeys that are only offered leave the status as it is until one is picked. */
export async function authenticate(
  context: SignerContext,
  runner: SignerRunner,
  request: AuthParameters,
): Promise<User> {
  const { passkeys, rootOrgId } = context
  const isOffer = request.type === 'passkey' && !request.createNew && request.mediation === 'conditional'
  if (!isOffer) {
    passkeys.endOffer()
    return runner.call(request)
  }
  const stamp = await passkeys.offer(async () => whoamiBody(await rootOrgId()), request.signal)
  return runner.call({ type: 'passkey', createNew: false, signal: request.signal, stamp: async () => stamp })
}
