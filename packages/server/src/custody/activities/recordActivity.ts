import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/openStore.ts'
import { findActivityEvent } from '../../platform/observability/securityEvents.ts'
import { appendLog } from '../audit/appendLog.ts'
import { findNewAddress, findSubject, toProof } from '../confirmations/findSubject.ts'
import { type Requester, requestConfirmation } from '../confirmations/requestConfirmation.ts'
import { advanceCounter } from '../credentials/advanceCounter.ts'
import type { Caller } from '../credentials/findCaller.ts'
import type { ActivityDefinition } from '../definitions.ts'
import type { CustodyContext, Note } from '../deps.ts'
import { enqueueNotice } from '../enqueueMail.ts'
import type { Organization } from '../organizations/organization.ts'
import { proveEmail } from '../organizations/userEmail.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import type { Recorder } from './createRecorder.ts'
import type { Envelope } from './envelope.ts'
import { findStored, type StoredActivity, toActivityRow, toRevealed, updateActivity } from './storedActivity.ts'
import { insertVote } from './votes.ts'

/** An authenticated, authorized and validated request. */
export type Submission = {
  definition: ActivityDefinition
  identity: { org_id: string; fingerprint: string }
  envelope: Envelope
  keys: { intent: string; result: string }
  body: Uint8Array
  stamp: verifyStamp.ReturnType | undefined
  caller: Caller
  organization: Organization
  parameters: unknown
  requester: Requester
  /** Digest of the IP address of the caller's client; null if unknown. */
  asker: string | null
}

/**
 * Writes an activity, executes it or queues it for votes, and logs its authorization, all in the transaction of `db`.
 * If a duplicate request was written first, returns the stored activity.
 */
export async function recordActivity(context: CustodyContext, db: Db, submission: Submission): Promise<StoredActivity> {
  const { definition, identity, caller, stamp } = submission
  const isVotedOn = needsVotes(submission)
  const begun = await insertActivity(context, db, submission)
  // The insert waited for the duplicate's transaction. If that had rolled back, this insert would have succeeded.
  if (!begun) return (await findStored(context, db, identity)) ?? Promise.reject(new TypeError('activity vanished'))
  // The counter advances within the transaction, so that the passkey's assertion stays usable if the request fails or
  // is a duplicate.
  await advanceCounter(context, db, caller)
  await proveEmail(context, db, caller)
  const row = isVotedOn ? begun : await askOrComplete(context, db, { ...submission, row: begun })
  if (isVotedOn && stamp)
    await insertVote(context, db, { activity: row, caller, stamp, selection: 'VOTE_SELECTION_APPROVED' })
  const loggedIntent = await definition.readLoggedIntent?.({ ...submission, db, activityId: row.id })
  await appendLog(context, db, toLogContent(submission, row, loggedIntent))
  return row
}

/**
 * Completes an activity. If it needs confirmation outside the page, first requests the confirmation and leaves the
 * activity pending.
 */
export async function askOrComplete(
  context: CustodyContext,
  db: Db,
  { requester, ...parameters }: completeActivity.Parameters & { requester: Requester },
): Promise<StoredActivity> {
  const { row, definition } = parameters
  const execution = { asker: null, ...parameters, db, activityId: row.id }
  const asked = await findSubject(context, definition, execution)
  const newAddress = asked ? undefined : await findNewAddress(context, definition, execution)
  if (!asked && newAddress === undefined) return completeActivity(context, db, parameters)
  return ask(context, db, { row, definition, execution, requester, asked: asked ?? toProof(newAddress ?? '') })
}

export async function ask(
  context: CustodyContext,
  db: Db,
  { row, ...question }: requestConfirmation.Parameters,
): Promise<StoredActivity> {
  const pending = await updateActivity(context, db, row, { status: 'ACTIVITY_STATUS_PENDING' })
  await requestConfirmation(context, db, { row: pending, ...question })
  context.note({ event: 'confirmation_asked', ...toNote(row) })
  return pending
}

function insertActivity(context: CustodyContext, db: Db, submission: Submission): Promise<StoredActivity | undefined> {
  const { definition, envelope, keys, caller, organization } = submission
  const { secret } = definition
  const shown = { ...envelope.parameters, ...(secret !== undefined && { [secret]: '' }) }
  const isVotedOn = needsVotes(submission)
  const now = new Date(context.now())
  const row = {
    id: randomUUID(),
    ...submission.identity,
    type: envelope.type,
    status: isVotedOn ? 'ACTIVITY_STATUS_CONSENSUS_NEEDED' : 'ACTIVITY_STATUS_PENDING',
    intent: { [keys.intent]: shown },
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

export declare namespace completeActivity {
  type Parameters = Pick<Submission, 'definition' | 'keys' | 'caller' | 'organization' | 'parameters' | 'stamp'> & {
    row: StoredActivity
    asker?: string | null
    /** Whether the user confirmed the activity by e-mail. @default false */
    isConfirmed?: boolean
    /**
     * Whether the owner of the new address has agreed.
     * @default false
     */
    isAgreed?: boolean
    /** Whether only the confirmation page receives the secret in the result. @default false */
    isRevealed?: boolean
  }
}

/** Executes a stored activity, stores its result and notifies the user, in the transaction of `db`. */
export async function completeActivity(
  context: CustodyContext,
  db: Db,
  {
    definition,
    row,
    keys,
    caller,
    organization,
    parameters,
    stamp,
    asker = null,
    isConfirmed = false,
    isAgreed = false,
    isRevealed = false,
  }: completeActivity.Parameters,
): Promise<StoredActivity> {
  const execution = { db, activityId: row.id, asker, caller, organization, parameters, stamp, isConfirmed, isAgreed }
  const result = await definition.execute(context, execution)
  const keptMs = context.allowedSkewMs.past + context.allowedSkewMs.future
  const completed = await updateActivity(context, db, row, {
    status: 'ACTIVITY_STATUS_COMPLETED',
    result: isRevealed ? toRevealed(keys.result, result) : keys.result ? { [keys.result]: result } : {},
    result_expires_at: definition.isResultTransient ? new Date(context.now() + keptMs) : null,
  })
  if (definition.notice)
    await enqueueNotice(context, db, {
      kind: definition.notice,
      organizationId: organization.id,
      userId: caller.userId,
      activityId: row.id,
      isUndoable: definition.notice === 'passkey-added' && !isConfirmed,
    })
  // Called last, since a failed activity must not cause an event.
  const event = findActivityEvent(row.type)
  context.countActivity(row.type)
  if (event) context.note({ event, ...toNote(row), created: definition.readCreated?.(result) })
  return completed
}

export function toNote({ id, org_id, user_id, type }: StoredActivity): Omit<Note, 'event'> {
  return { organizationId: org_id, userId: user_id, activityId: id, activityType: type }
}

/** Returns whether one statement can record the activity: it needs no votes, passkey counter or confirmation. */
export async function canRecordDirectly(context: CustodyContext, submission: Submission): Promise<boolean> {
  const { definition, caller, stamp } = submission
  if (!definition.isPure || stamp === undefined || caller.signCount !== 0 || needsVotes(submission)) return false
  const execution = { ...submission, db: context.db, activityId: '' }
  if (await definition.isCounted?.(context, execution)) return false
  return (await findSubject(context, definition, execution)) === undefined
}

/**
 * Executes a pure activity, then writes the activity with its log entry (see `createRecorder`). If the execution
 * throws, nothing is written.
 */
export async function recordDirectly(
  context: CustodyContext & { record: Recorder },
  submission: Submission,
): Promise<StoredActivity> {
  const { definition, identity, envelope, keys, caller, organization, stamp, parameters } = submission
  const id = randomUUID()
  const execution = { db: context.db, activityId: id, asker: null, caller, organization, parameters, stamp }
  const result = await definition.execute(context, execution)
  const row = {
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
  const loggedIntent = await definition.readLoggedIntent?.(execution)
  const recorded = await context.record({ row, content: toLogContent(submission, row, loggedIntent) })
  // Does not count a duplicate again.
  if (recorded.id === id) context.countActivity(envelope.type)
  return recorded
}

/** Returns whether votes are needed. A parent acts on its sub-organizations without their votes. */
function needsVotes({ definition, caller, organization }: Submission): boolean {
  return definition.quorum !== false && caller.orgId === organization.id && organization.threshold > 1
}

function toLogContent(
  { caller, organization, stamp, body }: Submission,
  row: Pick<StoredActivity, 'id' | 'type' | 'status'>,
  intent: string | undefined,
): appendLog.Content {
  return {
    org_id: organization.id,
    activity_id: row.id,
    user_id: caller.userId,
    credential_id: caller.credentialId,
    credential_public_key: caller.publicKey,
    type: row.type,
    status: row.status,
    body,
    stamp: stamp?.text ?? '',
    intent,
    logged_at: caller.at,
  }
}
