import { type Selectable, sql } from 'kysely'
import type { GasPolicyTable } from '../../platform/database/gatewayTables.ts'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { lockPolicies, type Policy, parsePolicyRules, toPolicy } from '../../store/ledger/policies.ts'
import type { PolicyRulesInput } from '../../store/ledger/policyRules.ts'

/* A policy as operators see and edit it. */

export type StoredPolicy = Policy & {
  /** Number of changes to the policy. */
  version: string
  changedAt: Date
  /** Operator who made the last change; null if it came from the configuration. */
  changedBy: string | null
  createdAt: Date
}

export async function listPolicies(
  db: Db,
  projectId: string,
  { limit = 1_000, after }: { limit?: number | undefined; after?: string | undefined } = {},
): Promise<StoredPolicy[]> {
  let query = db.selectFrom('gas_policies').selectAll().where('project_id', '=', projectId)
  if (after !== undefined) query = query.where('id', '>', after)
  return (await query.orderBy('id').limit(limit).execute()).map(toStored)
}

type Place = { projectId: string; id: string }

/** @throws `NOT_FOUND`. */
export async function readPolicy(db: Db, { projectId, id }: Place): Promise<StoredPolicy> {
  const query = db.selectFrom('gas_policies').selectAll().where('project_id', '=', projectId).where('id', '=', id)
  const row = await query.executeTakeFirst()
  if (row) return toStored(row)
  throw new ServerError('There is no such project or gas policy. List the policies of the project.', {
    code: 'NOT_FOUND',
    status: 404,
  })
}

export declare namespace createPolicy {
  type Parameters = Place & { rules: PolicyRulesInput; paused?: boolean | undefined; changedBy: string }
}

/**
 * Creates a policy that is not the default.
 *
 * @throws `NOT_FOUND` if the project is missing, `STATE_CONFLICT` if the id is taken, `REQUEST_INVALID`.
 */
export async function createPolicy(db: Db, policy: createPolicy.Parameters): Promise<StoredPolicy> {
  const { projectId, id, paused = false, changedBy } = policy
  const row = await db
    .insertInto('gas_policies')
    .columns(['project_id', 'id', 'paused', 'rules', 'changed_by'])
    .expression((expression) =>
      expression
        .selectFrom('projects')
        .select([
          'projects.id',
          sql<string>`${id}::text`.as('policy'),
          sql<boolean>`${paused}::boolean`.as('paused'),
          sql<string>`${toRules(policy.rules, id)}::jsonb`.as('rules'),
          sql<string>`${changedBy}::text`.as('changed_by'),
        ])
        .where('projects.id', '=', projectId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) return toStored(row)
  // Throws if the project is missing.
  await readPolicy(db, { projectId, id })
  throw new ServerError(
    `The project has a gas policy ${JSON.stringify(id)} already. Choose another id, or change it.`,
    {
      code: 'STATE_CONFLICT',
      status: 409,
    },
  )
}

export declare namespace changePolicy {
  type Parameters = Place & {
    /** Version that the caller last read. Undefined skips the version check. */
    version?: string | undefined
    changedBy: string
    change: { rules: PolicyRulesInput } | { paused: boolean } | { isDefault: boolean }
  }
  type ReturnType = { before: StoredPolicy; after: StoredPolicy }
}

/**
 * Changes a policy unless it has changed since the caller read it. Every gateway replica applies the change from the
 * next operation on.
 *
 * @throws `NOT_FOUND`, `VERSION_CONFLICT` (412), `CONFIGURED_IN_FILE` (409), `REQUEST_INVALID`.
 */
export async function changePolicy(
  db: Db,
  { projectId, id, version, changedBy, change }: changePolicy.Parameters,
): Promise<changePolicy.ReturnType> {
  const values =
    'rules' in change
      ? { rules: toRules(change.rules, id) }
      : 'paused' in change
        ? { paused: change.paused }
        : { is_default: change.isDefault }
  return inTransaction(db, async (trx) => {
    await lockPolicies(trx, projectId)
    await trx.selectFrom('gas_policies').select('id').where(isAt({ projectId, id })).forUpdate().execute()
    const before = await readPolicy(trx, { projectId, id })
    if (version !== undefined && version !== before.version) throw changedConcurrently(before)
    if (before.isDeclared && !('paused' in change)) throw declared(`The gas policy ${JSON.stringify(id)}`)
    const mark = { changed_by: changedBy, updated_at: sql<Date>`latchkey_now()` }
    if ('isDefault' in change && change.isDefault) {
      await assertDefaultIsFree(trx, projectId)
      await trx
        .updateTable('gas_policies')
        .set({ is_default: false, ...mark })
        .where('project_id', '=', projectId)
        .where('is_default', '=', true)
        .where('id', '!=', id)
        .execute()
    }
    await trx
      .updateTable('gas_policies')
      .set({ ...values, ...mark })
      .where(isAt({ projectId, id }))
      .execute()
    return { before, after: await readPolicy(trx, { projectId, id }) }
  })
}

const isAt = ({ projectId, id }: Place) => sql<boolean>`(project_id, id) = (${projectId}, ${id})`

/**
 * Checks that the project has no default policy in the policies file, since gateways apply that file at every start.
 */
async function assertDefaultIsFree(trx: Db, projectId: string): Promise<void> {
  const query = trx.selectFrom('gas_policies').select('id').where('project_id', '=', projectId)
  const row = await query.where('is_default', '=', true).where('declared', '=', true).executeTakeFirst()
  if (row) throw declared(`The default gas policy ${JSON.stringify(row.id)} of this project`)
}

function declared(what: string): ServerError {
  return new ServerError(
    `${what} is in the policies file (LATCHKEY_POLICIES_FILE), which every start of a gateway applies again. Change the file; pausing works here.`,
    { code: 'CONFIGURED_IN_FILE', status: 409 },
  )
}

function changedConcurrently({ version, changedBy, changedAt }: StoredPolicy): ServerError {
  const who = changedBy ?? 'the configuration'
  return new ServerError(
    `This gas policy was changed by ${who} at ${changedAt.toISOString()} and has version ${version} now. Read it again, and make your change to that.`,
    { code: 'VERSION_CONFLICT', status: 412 },
  )
}

/** @throws `REQUEST_INVALID`. */
function toRules(rules: PolicyRulesInput, id: string): string {
  try {
    return JSON.stringify(parsePolicyRules(rules, id))
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    throw new ServerError(error.message, { code: 'REQUEST_INVALID' })
  }
}

function toStored(row: Selectable<GasPolicyTable>): StoredPolicy {
  return {
    ...toPolicy(row),
    version: row.version,
    changedAt: row.updated_at,
    changedBy: row.changed_by,
    createdAt: row.created_at,
  }
}
