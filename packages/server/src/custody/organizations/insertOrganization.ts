import { randomUUID } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { mac } from '../macs.ts'

/** Writes a sub-organization under custody's MAC and answers its id. */
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

export declare namespace insertOrganization {
  type Parameters = {
    parentId: string
    name: string
    /** @default 1 */
    rootQuorumThreshold?: number | undefined
  }
}
