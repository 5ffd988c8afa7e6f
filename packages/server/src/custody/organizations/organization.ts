import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { DeletionDetail, SpendingRules } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { OrganizationTable } from '../../platform/database/organizationTables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'

export type Organization = {
  id: string
  /** Null for a root organization. */
  parentId: string | null
  name: string
  /** Number of its users' votes that an activity needs. */
  threshold: number
  /** Time at which the organization's keys are destroyed unless a user cancels the deletion. */
  deletionDueAt: Date | null
  /** Time at which an operator froze the organization. */
  frozenAt: Date | null
  /** Its users' rules for signing without confirmation. */
  spendingRules: SpendingRules | null
}

type Context = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

/**
 * Returns a request's organization, after checking its MAC. @throws `INVALID_ORGANIZATION_ID`,
 * `ORGANIZATION_NOT_FOUND`.
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

/** @throws `ORGANIZATION_NOT_FOUND` for a row that is absent or forged, or a deleted organization. */
export function toOrganization(
  context: Context,
  id: string,
  row: Omit<Selectable<OrganizationTable>, 'destroyed_at'> | undefined,
): Organization {
  const isDeleted = row?.deleted_at && row.deleted_at.getTime() <= context.now()
  if (!row || !isTrusted(context, 'organizations', row) || isDeleted)
    throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${id.toLowerCase()}`)
  const { id: found, parent_id, name, root_quorum_threshold, deleted_at, frozen_at, spending_rules } = row
  return {
    id: found,
    parentId: parent_id,
    name,
    threshold: root_quorum_threshold,
    deletionDueAt: deleted_at,
    frozenAt: frozen_at,
    spendingRules: spending_rules === null ? null : (JSON.parse(spending_rules) as SpendingRules),
  }
}

/**
 * Refuses everything for an organization that is being deleted, except cancelling the deletion.
 * @throws `ORGANIZATION_DELETING`.
 */
export function assertNotDeleting({ id, deletionDueAt }: Pick<Organization, 'id' | 'deletionDueAt'>): void {
  if (deletionDueAt === null) return
  // A passkey's sign-in request contains only the parent's id, so the error tells the client which organization's
  // deletion it may cancel.
  const detail: DeletionDetail = { organizationId: id, deletionDueAtMs: String(deletionDueAt.getTime()) }
  throw new ServerError(
    `This account is being deleted: its keys are destroyed on ${deletionDueAt.toISOString().slice(0, 10)}. Cancel the deletion to use it again.`,
    { code: 'ORGANIZATION_DELETING', status: 403, details: [detail] },
  )
}

/**
 * Refuses everything for a frozen organization, even through its parent.
 *
 * @throws `ORGANIZATION_FROZEN`.
 */
export function assertNotFrozen({ frozenAt }: Pick<Organization, 'frozenAt'>): void {
  if (frozenAt === null) return
  throw custodyError(
    'ORGANIZATION_FROZEN',
    'This account is frozen by the operator of the service. Its keys are safe; write to the support of the app.',
  )
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
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: insertOrganization.Parameters,
): Promise<string> {
  const { parentId, name, rootQuorumThreshold = 1 } = parameters
  const row = {
    id: randomUUID(),
    parent_id: parentId,
    root_quorum_threshold: rootQuorumThreshold,
    deleted_at: null,
    frozen_at: null,
    spending_rules: null,
  }
  await db
    .insertInto('organizations')
    // Uses the clock of the activity that creates the organization, since an erasure finds that activity by this time.
    .values({ ...row, name, created_at: new Date(context.now()), mac: mac(context.macKey, 'organizations', row) })
    .execute()
  return row.id
}
