import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { CredentialTable } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'

type Credential = Pick<Selectable<CredentialTable>, 'id' | 'expires_at'>

/**
 * The credentials of a user that a request names: all of them, or none.
 *
 * @throws ServerError `NOT_FOUND` (404)
 */
export async function findOwnCredentials(db: Db, parameters: findOwnCredentials.Parameters): Promise<Credential[]> {
  const { userId, kind, ids } = parameters
  const rows = await db
    .selectFrom('credentials')
    .select(['id', 'expires_at'])
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing === undefined) return rows
  throw custodyError(
    'NOT_FOUND',
    `The user has no ${kind === 'passkey' ? 'passkey' : 'API key'} with the id ${missing}.`,
  )
}

export declare namespace findOwnCredentials {
  type Parameters = { userId: string; kind: CredentialTable['kind']; ids: readonly string[] }
}
