import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueNotice } from '../notices/enqueueNotice.ts'
import type { ActivityDefinition } from './definition.ts'
import type { StoredActivity } from './findStored.ts'
import type { Submission } from './recordActivity.ts'
import { updateActivity } from './writeActivity.ts'

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
  const keptMs = context.allowedSkewMs.past + context.allowedSkewMs.future
  const completed = await updateActivity(context, db, row, {
    status: 'ACTIVITY_STATUS_COMPLETED',
    result: keys.result ? { [keys.result]: result } : {},
    result_expires_at: definition.isResultTransient ? new Date(context.now() + keptMs) : null,
  })
  if (definition.notice)
    await enqueueNotice(db, context, {
      kind: definition.notice,
      organizationId: organization.id,
      userId: caller.userId,
      activityId: row.id,
    })
  return completed
}
