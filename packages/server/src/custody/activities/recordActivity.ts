import { randomUUID } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import { appendLog } from '../audit/appendLog.ts'
import { advanceCounter } from '../credentials/advanceCounter.ts'
import type { Caller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/findOrganization.ts'
import { proveEmail } from '../organizations/proveEmail.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { completeActivity } from './completeActivity.ts'
import type { ActivityDefinition } from './definition.ts'
import type { Envelope } from './envelope.ts'
import { findStored, type StoredActivity } from './findStored.ts'
import { insertVote } from './insertVote.ts'
import { toLogContent } from './toLogContent.ts'
import { toActivityRow } from './writeActivity.ts'

export type Submission = {
  identity: { org_id: string; fingerprint: string }
  envelope: Envelope
  keys: { intent: string; result: string }
  body: Uint8Array
  stamp: verifyStamp.ReturnType | undefined
  caller: Caller
  organization: Organization
  parameters: unknown
}

/**
 * Writes an activity, does it or lets it wait for votes, and logs what authorised it, within the caller's transaction.
 * Answers the stored activity when a copy of the request was first.
 */
export async function recordActivity(
  context: CustodyContext,
  db: Db,
  { definition, submission }: { definition: ActivityDefinition; submission: Submission },
): Promise<StoredActivity> {
  const { identity, caller, organization, stamp } = submission
  const isVotedOn = definition.quorum !== false && caller.orgId === organization.id && organization.threshold > 1
  const begun = await insertActivity(context, db, { definition, submission, isVotedOn })
  // The insertion waited for the copy to end; if that one failed, this one was inserted.
  if (!begun) return (await findStored(context, db, identity)) ?? Promise.reject(new TypeError('activity vanished'))
  // Within the transaction: a request that failed, or one sent twice, has not used its passkey's assertion up.
  await advanceCounter(context, db, caller)
  await proveEmail(context, db, caller)
  const row = isVotedOn ? begun : await completeActivity(context, db, { definition, row: begun, ...submission })
  if (isVotedOn && stamp)
    await insertVote(context, db, { activity: row, caller, stamp, selection: 'VOTE_SELECTION_APPROVED' })
  await appendLog(context, db, toLogContent(submission, row))
  return row
}

/** Undefined when the organization has an activity of the same bytes. */
function insertActivity(
  context: CustodyContext,
  db: Db,
  { definition, submission, isVotedOn }: { definition: ActivityDefinition; submission: Submission; isVotedOn: boolean },
): Promise<StoredActivity | undefined> {
  const { envelope, keys, caller, organization } = submission
  const { secret } = definition
  const told = { ...envelope.parameters, ...(secret !== undefined && { [secret]: '' }) }
  const now = new Date(context.now())
  const row = {
    id: randomUUID(),
    ...submission.identity,
    type: envelope.type,
    status: isVotedOn ? 'ACTIVITY_STATUS_CONSENSUS_NEEDED' : 'ACTIVITY_STATUS_PENDING',
    intent: { [keys.intent]: told },
    result: {},
    failure: null,
    result_expires_at: null,
    threshold: isVotedOn ? organization.threshold : 1,
    user_id: caller.userId,
    credential_id: caller.credentialId,
    created_at: now,
    updated_at: now,
  }
  return db
    .insertInto('activities')
    .values(toActivityRow(context, row))
    .onConflict((conflict) => conflict.columns(['org_id', 'fingerprint']).doNothing())
    .returningAll()
    .executeTakeFirst()
}
