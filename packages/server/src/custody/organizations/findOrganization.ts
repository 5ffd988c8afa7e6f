import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'

export type Organization = { id: string; parentId: string | null; name: string }

/**
 * The organization a request names.
 *
 * @throws ServerError `INVALID_ORGANIZATION_ID` (400) | `ORGANIZATION_NOT_FOUND` (404)
 */
export async function findOrganization(db: Db, id: string): Promise<Organization> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw custodyError('INVALID_ORGANIZATION_ID', 'organizationId must be a UUID.')
  const row = await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${id.toLowerCase()}`)
  return { id: row.id, parentId: row.parent_id, name: row.name }
}
