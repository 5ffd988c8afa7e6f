import type { SignerContext } from '../SignerContext.ts'
import type { User } from '../types.ts'
import { activity } from './activity.ts'
import type { Stamper } from './createCustodyClient.ts'
import { sessionKeys } from './sessionKeys.ts'

/** Nobody waits longer than this for a key to be revoked: it ends by itself. */
const timeoutMs = 3_000

/** Has the key-custody service end the very key that stamps. */
export async function revokeStampKey(context: SignerContext, user: User, stamp: Stamper): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs)
  const keys = await sessionKeys(context.custody, user, { stamp, signal })
  const own = keys.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)
  if (own.length === 0) return
  const { orgId, userId } = user
  await context.custody.submit(activity('deleteApiKeys', orgId, { userId, apiKeyIds: own }), stamp, signal)
}
