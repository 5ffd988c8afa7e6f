import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { addApiKey } from './addApiKey.ts'
import { clampSessionSeconds } from './clampSessionSeconds.ts'
import { makeRoomForSessionKey } from './makeRoomForSessionKey.ts'

/**
 * Gives a user an expiring API key: its life is clamped, and at most ten of them live at a time (custody protocol
 * § 2.7). Answers the credential's id and its end.
 *
 * @throws ServerError `CREDENTIAL_CONFLICT` (400)
 */
export async function addSessionKey(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addSessionKey.Parameters,
): Promise<addSessionKey.ReturnType> {
  const { expirationSeconds, invalidateExisting, ...key } = parameters
  const expiresAt = new Date(context.now() + clampSessionSeconds(expirationSeconds) * 1000)
  await makeRoomForSessionKey(context, db, { userId: key.userId, all: invalidateExisting })
  return { apiKeyId: await addApiKey(context, db, { ...key, expiresAt }), expiresAt }
}

export declare namespace addSessionKey {
  type Parameters = Omit<addApiKey.Parameters, 'expiresAt'> & {
    /** @default 900 */
    expirationSeconds?: number | undefined
    /** Ends every other session of the user. */
    invalidateExisting?: boolean | undefined
  }
  type ReturnType = { apiKeyId: string; expiresAt: Date }
}
