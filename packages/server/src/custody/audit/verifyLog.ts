import type { Db } from '../../platform/database/openStore.ts'
import type { NotedHead } from './heads.ts'
import type { LogProblem } from './logEntry.ts'
import { verifyChain } from './verifyChain.ts'

export declare namespace verifyLog {
  type Options = {
    /** Previously recorded chain heads by organization. The chains must still contain them. */
    heads?: ReadonlyMap<string, readonly NotedHead[]> | undefined
  }
  type Bad = { organizationId: string } & LogProblem
  /** `erased`: number of entries whose content custody erased with a deleted account. */
  type ReturnType = { organizations: number; entries: number; erased: number; bad?: Bad }
}

/**
 * Verifies the activity log. Checks every organization's chain from its first entry to its head, the head's MAC, and
 * each stamp against its body. Also checks that log and activities agree, and that removed items were not restored.
 * Stops at the first invalid row. The server may keep running: each organization is read in one snapshot, or in the
 * given transaction.
 */
export async function verifyLog(
  db: Db,
  macKey: Uint8Array,
  { heads = new Map() }: verifyLog.Options = {},
): Promise<verifyLog.ReturnType> {
  const organizations = await listOrganizations(db)
  const known = new Set(organizations)
  const lost = [...heads.keys()].find((organizationId) => !known.has(organizationId))
  if (lost !== undefined)
    return {
      organizations: 0,
      entries: 0,
      erased: 0,
      bad: { organizationId: lost, problem: 'Its whole chain was removed.' },
    }
  let [entries, erased] = [0, 0]
  for (const [index, organizationId] of organizations.entries()) {
    const verify = (snapshot: Db) =>
      verifyChain(snapshot, macKey, { organizationId, heads: heads.get(organizationId) ?? [] })
    const {
      length,
      erased: count,
      bad,
    } = db.isTransaction
      ? await verify(db)
      : await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(verify)
    entries += length
    erased += count
    if (bad) return { organizations: index, entries, erased, bad: { organizationId, ...bad } }
  }
  const bad = await findUnlogged(db)
  return { organizations: organizations.length, entries, erased, ...(bad && { bad }) }
}

/** Returns the organizations in the log and in the table of heads, to detect the removal of a whole chain. */
async function listOrganizations(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('activity_log')
    .select('org_id')
    .union(db.selectFrom('activity_log_heads').select('org_id'))
    .orderBy('org_id')
    .execute()
  return rows.map((row) => row.org_id)
}

async function findUnlogged(db: Db): Promise<verifyLog.Bad | undefined> {
  const unlogged = await db
    .selectFrom('activities')
    .leftJoin('activity_log', 'activity_log.activity_id', 'activities.id')
    .select(['activities.id', 'activities.org_id'])
    .where('activity_log.activity_id', 'is', null)
    .orderBy('activities.created_at')
    .executeTakeFirst()
  if (!unlogged) return undefined
  const problem = `The activity ${unlogged.id} was never authorised: it is not in the log.`
  return { organizationId: unlogged.org_id, problem }
}
