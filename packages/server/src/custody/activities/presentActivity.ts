import { type Activity, type ActivityStatus, type CustodyErrorBody, confirmationText } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import { type Link, listAskingLinks } from '../confirmations/links.ts'
import { custodyError, custodyErrorBody } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { toTimestamp } from '../toTimestamp.ts'
import { confirmableUntil, isOpen, type StoredActivity, splitRevealed } from './storedActivity.ts'
import { isGenuineVote } from './votes.ts'

type Context = Pick<CustodyContext, 'macKey' | 'now'>

/** Returns activities and their votes as shown to a user; `userId` decides whether that user may still vote. */
export async function presentActivities(
  context: Context,
  db: Db,
  rows: readonly StoredActivity[],
  userId?: string,
): Promise<Activity[]> {
  const [votes, links] = [await readVotes(db, rows), await readLinks(context, db, rows)]
  return rows.map((row) => toActivity(context, row, { votes, links, userId }))
}

export async function presentActivity(
  context: Context,
  db: Db,
  row: StoredActivity,
  userId?: string,
): Promise<Activity> {
  const [activity] = await presentActivities(context, db, [row], userId)
  return activity ?? Promise.reject(new TypeError('an activity that is not presented'))
}

/** Returns the confirmation links of waiting activities. A link's type shows which e-mail its activity waits for. */
async function readLinks(context: Context, db: Db, rows: readonly StoredActivity[]): Promise<Link[]> {
  const ids = rows.filter((row) => confirmableUntil(row) !== null).map((row) => row.id)
  return ids.length === 0 ? [] : listAskingLinks(context, db, ids)
}

type StoredVote = Awaited<ReturnType<typeof selectVotes>>[number]

async function readVotes(db: Db, rows: readonly StoredActivity[]): Promise<StoredVote[]> {
  const votedOn = rows.filter((row) => row.threshold > 1).map((row) => row.id)
  return votedOn.length === 0 ? [] : selectVotes(db, votedOn)
}

function selectVotes(db: Db, activityIds: readonly string[]) {
  return db
    .selectFrom('activity_votes')
    .innerJoin('users', 'users.id', 'activity_votes.user_id')
    .selectAll('activity_votes')
    .select(['users.name as userName', 'users.email as userEmail'])
    .where('activity_id', 'in', activityIds)
    .orderBy('activity_votes.created_at')
    .execute()
}

function toActivity(
  context: Context,
  row: StoredActivity,
  { votes, links, userId }: { votes: readonly StoredVote[]; links: readonly Link[]; userId: string | undefined },
): Activity {
  const genuine = votes.filter((vote) => vote.activity_id === row.id && isGenuineVote(context.macKey, vote, row))
  const mayVote = isOpen(context, row) && userId !== undefined && genuine.every((vote) => vote.user_id !== userId)
  const isErased = row.result_expires_at !== null && row.result_expires_at <= new Date(context.now())
  const link = links.find(({ activity_id }) => activity_id === row.id)
  const outcome = toOutcome(context, row, link)
  return {
    id: row.id,
    organizationId: row.org_id,
    type: row.type,
    intent: row.intent,
    result: isErased ? {} : splitRevealed(row.result).result,
    votes: genuine.map(toVote),
    fingerprint: row.fingerprint,
    canApprove: mayVote,
    canReject: mayVote,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    ...outcome,
  }
}

/**
 * Returns an activity's status and failure. For clients that do not poll, an activity that waits for confirmation also
 * has a failure. An activity that waited too long has failed.
 */
function toOutcome(
  { now }: Context,
  row: StoredActivity,
  link: Link | undefined,
): Pick<Activity, 'status' | 'failure' | 'confirmation'> {
  const until = confirmableUntil(row)
  if (until === null)
    return { status: row.status as ActivityStatus, ...(row.failure && { failure: row.failure as CustodyErrorBody }) }
  if (now() > until.getTime()) return { status: 'ACTIVITY_STATUS_FAILED', failure: expiredFailure() }
  return {
    status: 'ACTIVITY_STATUS_PENDING',
    failure: custodyErrorBody(
      custodyError(
        'CONFIRMATION_NEEDED',
        `${confirmationText}. The request completes once you have confirmed it: poll its status.`,
      ),
    ),
    confirmation: {
      by: 'mail',
      expiresAtMs: String(until.getTime()),
      ...(link && { to: link.details.email, action: link.details.action }),
      ...(link?.details.reveals && { reveals: link.details.reveals }),
      ...(link?.details.takes && { takes: link.details.takes }),
    },
  }
}

export function expiredFailure(): CustodyErrorBody {
  return custodyErrorBody(
    custodyError('CONFIRMATION_EXPIRED', 'It was not confirmed by email in time, so nothing was done. Start again.'),
  )
}

function toVote(row: StoredVote) {
  return {
    id: row.id,
    userId: row.user_id,
    user: { userId: row.user_id, userName: row.userName, ...(row.userEmail && { userEmail: row.userEmail }) },
    activityId: row.activity_id,
    selection: row.selection,
    message: '',
    publicKey: row.public_key,
    signature: row.signature,
    scheme: row.scheme,
    createdAt: toTimestamp(row.created_at),
  }
}
