import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueNotice } from '../notices/enqueueNotice.ts'
import type { ActivityDefinition } from './definition.ts'
import { eraseResults } from './eraseResults.ts'
import type { StoredActivity } from './findStored.ts'
import type { Submission } from './recordActivity.ts'

export declare namespace completeActivity {
  type Parameters = Pick<Submission, 'keys' | 'caller' | 'organization' | 'parameters' | 'stamp'> & {
    definition: ActivityDefinition
    row: StoredActivity
  }
}

/** Does what an activity asks for, keeps its result and tells the user, within the caller's transaction. */
export async function completeActivity(
  context: CustodyContext,
  db: Db,
  parameters: completeActivity.Parameters,
): Promise<StoredActivity> {
  const { definition, row, keys, caller, organization, stamp } = parameters
  const execution = { db, activityId: row.id, caller, organization, parameters: parameters.parameters, stamp }
  const result = await definition.execute(context, execution)
  const now = context.now()
  const keptMs = context.allowedSkewMs.past + context.allowedSkewMs.future
  if (definition.isResultTransient) await eraseResults(db, new Date(now))
  const completed = await db
    .updateTable('activities')
    .set({
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: JSON.stringify(keys.result ? { [keys.result]: result } : {}),
      result_expires_at: definition.isResultTransient ? new Date(now + keptMs) : null,
      updated_at: new Date(now),
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (definition.notice)
    await enqueueNotice(db, context, {
      kind: definition.notice,
      organizationId: organization.id,
      userId: caller.userId,
      activityId: row.id,
    })
  return completed
}
