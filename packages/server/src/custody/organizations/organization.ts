import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { OrganizationTable } from '../../store/tables.ts'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'
import { writeEmail } from './userEmail.ts'

/** `parentId`: null for a root organization. `threshold`: votes of its users that an activity needs. */
export type Organization = { id: string; parentId: string | null; name: string; threshold: number }

type Context = Pick<CustodyContext, 'macKey' | 'logger'>

/**
 * The organization a request names, as custody wrote it.
 *
 * @throws `INVALID_ORGANIZATION_ID`, `ORGANIZATION_NOT_FOUND`.
 */
export async function findOrganization(
  context: Context & Pick<CustodyContext, 'db'>,
  id: string,
): Promise<Organization> {
  assertOrganizationId(id)
  const row = await context.db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
  return toOrganization(context, id, row)
}

/** @throws `INVALID_ORGANIZATION_ID`. */
export function assertOrganizationId(id: string): void {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw custodyError('INVALID_ORGANIZATION_ID', 'organizationId must be a UUID.')
}

/** @throws `ORGANIZATION_NOT_FOUND` for a row that is absent, forged or of a deleted organization. */
export function toOrganization(
  context: Context,
  id: string,
  row: Selectable<OrganizationTable> | undefined,
): Organization {
  if (!row || !isTrusted(context, 'organizations', row) || row.deleted_at)
    throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${id.toLowerCase()}`)
  return { id: row.id, parentId: row.parent_id, name: row.name, threshold: row.root_quorum_threshold }
}

export declare namespace insertOrganization {
  type Parameters = {
    parentId: string
    name: string
    /** @default 1 */
    rootQuorumThreshold?: number | undefined
  }
}

/** Writes a sub-organization under custody's MAC and returns its id. */
export async function insertOrganization(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  parameters: insertOrganization.Parameters,
): Promise<string> {
  const { parentId, name, rootQuorumThreshold = 1 } = parameters
  const row = { id: randomUUID(), parent_id: parentId, root_quorum_threshold: rootQuorumThreshold, deleted_at: null }
  await db
    .insertInto('organizations')
    .values({ ...row, name, mac: mac(context.macKey, 'organizations', row) })
    .execute()
  return row.id
}

/**
 * Ends a sub-organization: its wallets are destroyed, its credentials revoked, its users' addresses erased. The row
 * and the activities stay as a record of what was done.
 */
export async function deleteOrganization(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId }: { orgId: string },
): Promise<void> {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', orgId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const deleted_at = new Date(context.now())
  const users = await db.selectFrom('users').selectAll().where('org_id', '=', orgId).execute()
  for (const user of users) {
    const held = await db.selectFrom('credentials').select('id').where('user_id', '=', user.id).execute()
    await revokeCredentials(context, db, { userId: user.id, ids: held.map(({ id }) => id) })
    await writeEmail(context, db, { user, email: null, email_verified_at: null, email_claimed: false })
  }
  await db.deleteFrom('wallets').where('org_id', '=', orgId).execute()
  await db
    .updateTable('organizations')
    .set({ deleted_at, mac: mac(context.macKey, 'organizations', { ...row, deleted_at }) })
    .where('id', '=', orgId)
    .execute()
}
