import type { Selectable } from 'kysely'
import type { Activity } from 'latchkey/wire'
import type { Db } from '../../store/openStore.ts'
import type { ActivityTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { toActivity } from './toActivity.ts'
import { toTimestamp } from './toTimestamp.ts'

/** Activities with their votes, as the one who asks sees them: `userId` may be allowed to vote. */
export async function presentActivities(
  context: Pick<CustodyContext, 'now'>,
  db: Db,
  rows: readonly Selectable<ActivityTable>[],
  userId?: string,
): Promise<Activity[]> {
  const now = new Date(context.now())
  const voted = rows.filter((row) => row.threshold > 1).map((row) => row.id)
  const votes = voted.length === 0 ? [] : await readVotes(db, voted)
  return rows.map((row) => {
    const own = votes.filter((vote) => vote.activityId === row.id)
    const isOpen = row.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' && userId !== undefined
    return toActivity(row, { now, votes: own, mayVote: isOpen && own.every((vote) => vote.userId !== userId) })
  })
}

/** The one of {@link presentActivities}. */
export async function presentActivity(
  context: Pick<CustodyContext, 'now'>,
  db: Db,
  row: Selectable<ActivityTable>,
  userId?: string,
): Promise<Activity> {
  const [activity] = await presentActivities(context, db, [row], userId)
  return activity ?? toActivity(row, { now: new Date(context.now()) })
}

async function readVotes(db: Db, activityIds: readonly string[]) {
  const rows = await db
    .selectFrom('activity_votes')
    .innerJoin('users', 'users.id', 'activity_votes.user_id')
    .selectAll('activity_votes')
    .select(['users.name as userName', 'users.email as userEmail'])
    .where('activity_id', 'in', activityIds)
    .orderBy('activity_votes.created_at')
    .execute()
  return rows.map((row) => ({
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
  }))
}
