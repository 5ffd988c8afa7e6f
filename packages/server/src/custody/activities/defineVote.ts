import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { type ActivityDefinition, type ActivityExecution, defineActivity } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/organization.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { assertStepUp } from '../stepUp.ts'
import { askOrComplete } from './recordActivity.ts'
import { readRecorded, settle } from './recorded.ts'
import { findStored, isOpen, type StoredActivity, updateActivity } from './storedActivity.ts'
import { insertVote, readGenuineVotes } from './votes.ts'

const parametersSchema = z.strictObject({
  fingerprint: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hex digits'),
})

type Parameters = z.output<typeof parametersSchema>
type VotedOn = { row: StoredActivity; organization: Organization }

export declare namespace defineVote {
  type Options = {
    selection: 'APPROVED' | 'REJECTED'
    /** Returns the definition of an activity that waits for votes, by its type. */
    find(type: string): ActivityDefinition | undefined
  }
}

/**
 * Defines `approve_activity` and `reject_activity`: a root user's vote on an activity that needs several (custody
 * protocol §§ 2.3, 2.4). The vote that reaches the threshold executes the activity on behalf of its submitter. The vote
 * that makes the threshold unreachable rejects the activity. Each voter must meet the activity's requirements for
 * callers.
 */
export function defineVote({ selection, find }: defineVote.Options): ActivityDefinition {
  const verb = selection === 'APPROVED' ? 'approve' : 'reject'
  return defineActivity<Parameters>({
    types: { [`ACTIVITY_TYPE_${verb.toUpperCase()}_ACTIVITY`]: { intent: `${verb}ActivityIntent`, result: '' } },
    parameters: parametersSchema,
    authorize: assertOwnOrganization,
    quorum: false,
    async execute(context, execution) {
      const { db, caller, organization, stamp } = execution
      const row = await findOpen(context, execution)
      const definition = find(row.type)
      if (!definition || !stamp) throw custodyError('REQUEST_INVALID', 'This activity cannot be voted on.')
      if (definition.stepUp && selection === 'APPROVED') assertStepUp(context, caller)
      await insertVote(context, db, { activity: row, caller, stamp, selection: `VOTE_SELECTION_${selection}` })
      const outcome = await countVotes(context, db, { row, organization })
      const waiting = { row, organization, definition }
      // Runs on behalf of the submitter, since votes do not replace a user's confirmation.
      const run = async () =>
        askOrComplete(context, db, { ...(await readRecorded(context, db, waiting)), requester: {} })
      if (outcome === 'approved') await settle(context, db, { row, run })
      if (outcome === 'rejected') await updateActivity(context, db, row, { status: 'ACTIVITY_STATUS_REJECTED' })
      return {}
    },
  })
}

async function findOpen(
  context: CustodyContext,
  { db, organization, parameters }: ActivityExecution<Parameters>,
): Promise<StoredActivity> {
  const identity = { org_id: organization.id, fingerprint: parameters.fingerprint }
  const row = await findStored(context, db, identity, { lock: true })
  if (!row) throw custodyError('NOT_FOUND', 'No activity with this fingerprint in this organization.')
  if (row.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED')
    throw custodyError('REQUEST_INVALID', `The activity does not wait for votes: its status is ${row.status}.`)
  if (!isOpen(context, row))
    throw custodyError('REQUEST_INVALID', 'The activity waited for votes for too long. Submit it again.')
  return row
}

async function countVotes(
  context: CustodyContext,
  db: Db,
  { row, organization }: VotedOn,
): Promise<'approved' | 'rejected' | 'open'> {
  const votes = await readGenuineVotes(context, db, row)
  const users = await db.selectFrom('users').select('id').where('org_id', '=', organization.id).execute()
  const approvals = votes.filter((vote) => vote.selection === 'VOTE_SELECTION_APPROVED').length
  if (approvals >= organization.threshold) return 'approved'
  return users.length - (votes.length - approvals) < organization.threshold ? 'rejected' : 'open'
}
