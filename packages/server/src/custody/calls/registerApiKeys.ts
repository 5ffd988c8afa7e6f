import type { z } from 'zod'
import type { Db } from '../../store/openStore.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import type { apiKeySchema } from '../schemas.ts'

/** Most API keys without an end a user may hold (custody protocol § 2.7). */
const maxLongLivedKeys = 10

export declare namespace registerApiKeys {
  type Parameters = {
    userId: string
    orgId: string
    apiKeys: readonly z.output<typeof apiKeySchema>[]
    /** Who asks for them; left out, the user is new. */
    by?: Caller | undefined
  }
}

/**
 * Gives API keys to a user: those that expire count as sessions. Answers the credentials' ids.
 *
 * @throws ServerError `REQUEST_INVALID` | `CREDENTIAL_CONFLICT` (400)
 */
export async function registerApiKeys(
  context: CustodyContext,
  db: Db,
  { userId, orgId, apiKeys, by }: registerApiKeys.Parameters,
): Promise<string[]> {
  // Concurrent additions count each other.
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const ids: string[] = []
  for (const { apiKeyName: name, publicKey, curveType, expirationSeconds } of apiKeys) {
    const type =
      curveType === 'API_KEY_CURVE_SECP256K1' ? 'CREDENTIAL_TYPE_API_KEY_SECP256K1' : 'CREDENTIAL_TYPE_API_KEY_P256'
    const key = { userId, orgId, name, publicKey, type, by } as const
    if (expirationSeconds === undefined) ids.push(await addApiKey(context, db, key))
    else ids.push((await addSessionKey(context, db, { ...key, expirationSeconds })).apiKeyId)
  }
  const { held } = await db
    .selectFrom('credentials')
    .select(({ fn }) => fn.countAll<string>().as('held'))
    .where('user_id', '=', userId)
    .where('kind', '=', 'api_key')
    .where('expires_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(held) > maxLongLivedKeys)
    throw custodyError(
      'REQUEST_INVALID',
      `A user can hold ${maxLongLivedKeys} API keys without an end. Delete one first.`,
    )
  return ids
}
