import { randomUUID } from 'node:crypto'
import type { CustodyContext } from '../deps.ts'
import type { ActivityDefinition } from './definition.ts'
import type { StoredActivity } from './findStored.ts'
import type { Submission } from './recordActivity.ts'
import { toLogContent } from './toLogContent.ts'

/** Whether nothing but the activity and its log entry is to be written: no vote, no passkey's counter. */
export function canRecordAtOnce({ caller, organization, stamp }: Submission): boolean {
  const isVotedOn = organization.threshold > 1 && caller.orgId === organization.id
  return stamp !== undefined && caller.signCount === 0 && !isVotedOn
}

/**
 * Does a pure activity and then writes it with its log entry at once, see `createRecorder`.
 *
 * @throws ServerError what the activity throws; then nothing is written
 */
export async function recordAtOnce(
  context: CustodyContext,
  definition: ActivityDefinition,
  submission: Submission,
): Promise<StoredActivity> {
  const { caller, organization, stamp, parameters } = submission
  const activityId = randomUUID()
  const execution = { db: context.db, activityId, caller, organization, parameters, stamp }
  const row = toRow(submission, activityId, await definition.execute(context, execution))
  return context.record({ row, content: toLogContent(submission, row) })
}

function toRow(submission: Submission, id: string, result: Record<string, unknown>): StoredActivity {
  const { identity, envelope, keys, caller } = submission
  return {
    id,
    ...identity,
    type: envelope.type,
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { [keys.intent]: envelope.parameters },
    result: { [keys.result]: result },
    user_id: caller.userId,
    credential_id: caller.credentialId,
    threshold: 1,
    failure: null,
    result_expires_at: null,
    created_at: caller.at,
    updated_at: caller.at,
  }
}
