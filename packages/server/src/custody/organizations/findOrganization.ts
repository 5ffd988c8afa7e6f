import type { Selectable } from 'kysely'
import type { OrganizationTable } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'

/** `parentId`: null for a root organization. `threshold`: votes of its users that an activity needs. */
export type Organization = { id: string; parentId: string | null; name: string; threshold: number }

type Context = Pick<CustodyContext, 'macKey' | 'logger'>

/**
 * The organization a request names, as custody wrote it.
 *
 * @throws ServerError `INVALID_ORGANIZATION_ID` (400) | `ORGANIZATION_NOT_FOUND` (404)
 */
export async function findOrganization(
  context: Context & Pick<CustodyContext, 'db'>,
  id: string,
): Promise<Organization> {
  assertOrganizationId(id)
  const row = await context.db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
  return toOrganization(context, id, row)
}

/** @throws ServerError `INVALID_ORGANIZATION_ID` (400) */
export function assertOrganizationId(id: string): void {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw custodyError('INVALID_ORGANIZATION_ID', 'organizationId must be a UUID.')
}

/** @throws ServerError `ORGANIZATION_NOT_FOUND` (404) for a row that is absent, forged or of a deleted organization */
export function toOrganization(
  context: Context,
  id: string,
  row: Selectable<OrganizationTable> | undefined,
): Organization {
  const genuine = row !== undefined && isGenuine(context.macKey, 'organizations', row)
  if (row && !genuine) context.logger.error({ orgId: id }, 'An organization was not written by custody and is ignored')
  if (!genuine || row.deleted_at)
    throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${id.toLowerCase()}`)
  return { id: row.id, parentId: row.parent_id, name: row.name, threshold: row.root_quorum_threshold }
}
