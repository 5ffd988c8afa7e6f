import { type Selectable, sql } from 'kysely'
import type { GasPolicyTable } from '../../platform/database/gatewayTables.ts'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { type PolicyRules, type PolicyRulesInput, policyRulesSchema } from './policyRules.ts'

/** Rules that decide which operations of a project are sponsored. The policy's id is unique within the project. */
export type Policy = {
  projectId: string
  id: string
  /** Whether the policy applies to clients that specify none. */
  isDefault: boolean
  /** Whether the policy is paused. A paused policy pays for nothing. */
  paused: boolean
  /** Whether the policies file declares the policy. The file then sets its rules at every start of a gateway. */
  isDeclared: boolean
  rules: PolicyRules
}

export declare namespace upsertPolicy {
  type Parameters = {
    projectId: string
    /** 1 to 128 characters. */
    id: string
    /**
     * Whether the policy applies to clients that specify none, replacing the previous default. @default unchanged, else
     * false
     */
    isDefault?: boolean | undefined
    /** @default unchanged, else false */
    paused?: boolean | undefined
    rules?: PolicyRulesInput | undefined
    /** Whether the policies file declares the policy. @default unchanged, else false */
    isDeclared?: boolean | undefined
  }
}

/**
 * Creates a policy or replaces its rules.
 *
 * @throws `CONFIG_INVALID`, naming the invalid rule.
 */
export async function upsertPolicy(db: Db, policy: upsertPolicy.Parameters): Promise<void> {
  const { projectId, id, isDefault, paused, isDeclared } = policy
  if (id.length === 0 || id.length > 128) throw configInvalid('The id of a gas policy must have 1 to 128 characters.')
  const rules = JSON.stringify(parsePolicyRules(policy.rules ?? {}, id))
  await inTransaction(db, async (trx) => {
    await lockPolicies(trx, projectId)
    if (isDefault)
      await trx
        .updateTable('gas_policies')
        .set({ is_default: false })
        .where('project_id', '=', projectId)
        .where('id', '!=', id)
        .execute()
    await trx
      .insertInto('gas_policies')
      .values({
        project_id: projectId,
        id,
        is_default: isDefault ?? false,
        paused: paused ?? false,
        rules,
        declared: isDeclared ?? false,
      })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'id']).doUpdateSet({
          rules,
          updated_at: sql`latchkey_now()`,
          // Rules changed by the configuration no longer belong to the operator who last changed them.
          changed_by: sql`case when gas_policies.rules = excluded.rules then gas_policies.changed_by end`,
          ...(isDeclared === undefined ? {} : { declared: isDeclared }),
          ...(isDefault === undefined ? {} : { is_default: isDefault }),
          ...(paused === undefined ? {} : { paused }),
        }),
      )
      .execute()
  })
}

/** Marks a project's policies, other than `except`, as no longer declared by the policies file. */
export async function releaseDeclared(
  db: Db,
  { projectId, except }: { projectId: string; except: readonly string[] },
): Promise<void> {
  await db
    .updateTable('gas_policies')
    .set({ declared: false })
    .where('project_id', '=', projectId)
    .where('declared', '=', true)
    .where(sql<boolean>`id <> all(${except}::text[])`)
    .execute()
}

/**
 * Locks a project's policies, since roles that start concurrently write the same policies and only one policy may be
 * the default.
 */
export async function lockPolicies(trx: Db, projectId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`latchkey.policies:${projectId}`}, 0))`.execute(trx)
}

/**
 * Returns complete, checked rules.
 *
 * @throws `CONFIG_INVALID`.
 */
export function parsePolicyRules(rules: unknown, id: string): PolicyRules {
  const parsed = policyRulesSchema.safeParse(rules)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  throw configInvalid(`The rules of gas policy ${JSON.stringify(id)} are not valid${place}: ${issue?.message ?? ''}.`)
}

/** Returns a project's policy by id, or its default policy without an id. Null if there is none. */
export async function findPolicy(db: Db, projectId: string, id: string | undefined): Promise<Policy | null> {
  const query = db.selectFrom('gas_policies').selectAll().where('project_id', '=', projectId)
  const row = await (id === undefined
    ? query.where('is_default', '=', true)
    : query.where('id', '=', id)
  ).executeTakeFirst()
  return row ? toPolicy(row) : null
}

export async function listAllPolicies(db: Db): Promise<Policy[]> {
  const rows = await db.selectFrom('gas_policies').selectAll().orderBy('project_id').orderBy('id').execute()
  return rows.map(toPolicy)
}

/** Pauses or resumes a policy, immediately on every replica. Returns false if it does not exist. */
export async function setPolicyPaused(db: Db, projectId: string, id: string, paused: boolean): Promise<boolean> {
  const row = await db
    .updateTable('gas_policies')
    .set({ paused, updated_at: sql`latchkey_now()` })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a policy; its payments stay in the ledger. Returns false if it does not exist. */
export async function deletePolicy(db: Db, projectId: string, id: string): Promise<boolean> {
  const row = await db
    .deleteFrom('gas_policies')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export function toPolicy(
  row: Pick<Selectable<GasPolicyTable>, 'project_id' | 'id' | 'is_default' | 'paused' | 'declared' | 'rules'>,
): Policy {
  return {
    projectId: row.project_id,
    id: row.id,
    isDefault: row.is_default,
    paused: row.paused,
    isDeclared: row.declared,
    rules: parsePolicyRules(row.rules, row.id),
  }
}
