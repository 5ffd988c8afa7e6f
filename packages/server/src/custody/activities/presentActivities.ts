import type { Activity } from 'latchkey/wire'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import type { StoredActivity } from './findStored.ts'
import { isGenuineVote } from './insertVote.ts'
import { isOpen } from './isOpen.ts'
import { toActivity } from './toActivity.ts'
import { toTimestamp } from './toTimestamp.ts'

/** Activities with their votes, as the one who asks sees them: `userId` may be allowed to vote. */
export async function presentActivities(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  rows: readonly StoredActivity[],
  userId?: string,
): Promise<Activity[]> {
  const now = new Date(context.now())
  const voted = rows.filter((row) => row.threshold > 1).map((row) => row.id)
  const votes = voted.length === 0 ? [] : await readVotes(db, voted)
  return rows.map((row) => {
    const genuine = votes.filter((vote) => vote.activity_id === row.id && isGenuineVote(context.macKey, vote, row))
    const mayVote = isOpen(context, row) && userId !== undefined && genuine.every((vote) => vote.user_id !== userId)
    return toActivity(row, { now, votes: genuine.map(toVote), mayVote })
  })
}

/** The one of {@link presentActivities}. */
export async function presentActivity(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  row: StoredActivity,
  userId?: string,
): Promise<Activity> {
  const [activity] = await presentActivities(context, db, [row], userId)
  return activity ?? toActivity(row, { now: new Date(context.now()) })
}

function readVotes(db: Db, activityIds: readonly string[]) {
  return db
    .selectFrom('activity_votes')
    .innerJoin('users', 'users.id', 'activity_votes.user_id')
    .selectAll('activity_votes')
    .select(['users.name as userName', 'users.email as userEmail'])
    .where('activity_id', 'in', activityIds)
    .orderBy('activity_votes.created_at')
    .execute()
}

function toVote(row: Awaited<ReturnType<typeof readVotes>>[number]) {
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
