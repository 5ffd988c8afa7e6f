import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from './credentialMac.ts'

/** Who stamped a request. */
export type Caller = { credentialId: string; userId: string; orgId: string; emailSession: boolean }

/**
 * Finds the user a stamp's key belongs to: in the target organization, else in its parent (custody protocol § 2.5).
 *
 * @throws ServerError `PUBLIC_KEY_NOT_FOUND` | `API_KEY_EXPIRED` | `CREDENTIAL_NOT_FOUND` (401)
 */
export async function findCaller(context: CustodyContext, parameters: findCaller.Parameters): Promise<Caller> {
  const { publicKey, organization } = parameters
  const orgIds = organization.parentId ? [organization.id, organization.parentId] : [organization.id]
  const rows = await context.db
    .selectFrom('credentials')
    .selectAll()
    .where('kind', '=', 'api_key')
    .where('public_key', '=', publicKey)
    .where('org_id', 'in', orgIds)
    .execute()
  const genuine = rows.filter((row) => checkGenuine(context, row))
  const row = genuine.find((candidate) => candidate.org_id === organization.id) ?? genuine[0]
  if (!row)
    throw custodyError('PUBLIC_KEY_NOT_FOUND', 'could not find public key in organization or its parent organization')
  return toCaller(context, row)
}

export declare namespace findCaller {
  type Parameters = { publicKey: string; organization: { id: string; parentId: string | null } }
}

/** Whether custody wrote the row; a forged one is logged and then treated as absent. */
export function checkGenuine(context: CustodyContext, row: Selectable<CredentialTable>): boolean {
  if (isGenuine(context.macKey, row)) return true
  context.logger.error({ credentialId: row.id }, 'A credential was not written by custody and is ignored')
  return false
}

/**
 * Answers the caller a credential stands for, if it still does.
 *
 * @throws ServerError `API_KEY_EXPIRED` | `CREDENTIAL_NOT_FOUND` (401)
 */
export function toCaller(context: CustodyContext, row: Selectable<CredentialTable>): Caller {
  if (row.revoked_at) throw custodyError('CREDENTIAL_NOT_FOUND', 'This API key was revoked. Sign in again.')
  if (row.expires_at && row.expires_at.getTime() <= context.now())
    throw custodyError('API_KEY_EXPIRED', 'This API key has expired. Sign in again.')
  return { credentialId: row.id, userId: row.user_id, orgId: row.org_id, emailSession: row.email_session }
}
