import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { ActivityVoteTable } from '../../platform/database/tables.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'

type Vote = Selectable<ActivityVoteTable>
/** The fingerprint identifies what the voter saw and stamped. */
type VotedOn = { id: string; fingerprint: string }

export declare namespace insertVote {
  type Parameters = {
    activity: VotedOn
    caller: Caller
    stamp: verifyStamp.ReturnType
    selection: Vote['selection']
  }
}

/**
 * Writes a user's vote on an activity. A user can vote only once.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function insertVote(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  { activity, caller, stamp, selection }: insertVote.Parameters,
): Promise<void> {
  const row = { id: randomUUID(), activity_id: activity.id, user_id: caller.userId, selection }
  const { signature, scheme } = stamp
  const inserted = await db
    .insertInto('activity_votes')
    .values({
      ...row,
      public_key: caller.publicKey,
      signature,
      scheme,
      created_at: caller.at,
      mac: mac(context.macKey, 'activity_votes', { ...row, fingerprint: activity.fingerprint }),
    })
    .onConflict((conflict) => conflict.columns(['activity_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw custodyError('REQUEST_INVALID', 'You have voted on this activity already.')
}

/** Returns the votes on an activity, without forged rows. */
export async function readGenuineVotes(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  activity: VotedOn,
): Promise<Vote[]> {
  const rows = await db.selectFrom('activity_votes').selectAll().where('activity_id', '=', activity.id).execute()
  return rows.filter((row) => isGenuineVote(context.macKey, row, activity))
}

export function isGenuineVote(macKey: Uint8Array, vote: Vote, { fingerprint }: VotedOn): boolean {
  return isGenuine(macKey, 'activity_votes', { ...vote, fingerprint })
}
