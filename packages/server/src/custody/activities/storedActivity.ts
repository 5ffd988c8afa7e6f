import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { ActivityTable } from '../../platform/database/tables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { confirmationMs, votingMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'

/** A row of `activities` without its MAC. */
export type StoredActivity = Omit<Selectable<ActivityTable>, 'mac'>

export declare namespace findStored {
  type Identity = Pick<StoredActivity, 'org_id' | 'fingerprint'>
  type Options = {
    /**
     * Locks the row until the transaction ends.
     *
     * @default false
     */
    lock?: boolean
  }
}

/**
 * Returns an organization's activity by its fingerprint.
 * @throws `INTERNAL` for a row that custody did not write.
 */
export async function findStored(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  identity: findStored.Identity,
  { lock = false }: findStored.Options = {},
): Promise<StoredActivity | undefined> {
  const row = await db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', identity.org_id)
    .where('fingerprint', '=', identity.fingerprint)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row && assertGenuineActivity(context, row)
}

/**
 * Checks that custody wrote a row.
 * @throws `INTERNAL` if it did not.
 */
export function assertGenuineActivity(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  row: Selectable<ActivityTable>,
): StoredActivity {
  if (isGenuine(macKey, 'activities', row)) return row
  throw new ServerError(
    'This activity was changed from outside, so it is not answered. Run `latchkey-server audit verify`.',
    { code: 'INTERNAL', status: 500 },
  )
}

export declare namespace updateActivity {
  type Outcome = Pick<StoredActivity, 'status'> &
    Partial<Pick<StoredActivity, 'result' | 'result_expires_at' | 'failure'>>
}

/** Writes an activity's progress, and returns its current state. */
export async function updateActivity(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  row: StoredActivity,
  outcome: updateActivity.Outcome,
): Promise<StoredActivity> {
  const next = { ...row, ...outcome, updated_at: new Date(context.now()) }
  const { id, org_id, ...columns } = toActivityRow(context, next)
  await db.updateTable('activities').set(columns).where('id', '=', id).where('org_id', '=', org_id).execute()
  return next
}

export function toActivityRow(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  row: StoredActivity,
): Insertable<ActivityTable> {
  const { intent, result, failure } = row
  return {
    ...row,
    intent: JSON.stringify(intent),
    result: JSON.stringify(result),
    failure: failure && JSON.stringify(failure),
    mac: mac(macKey, 'activities', row),
  }
}

/**
 * Returns the result to store. Separates the sealed secret from the other members, since only the confirmation page may
 * read it.
 */
export function toRevealed(key: string, { exportBundle, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { [key]: rest, revealed: exportBundle }
}

/** Splits the stored result of {@link toRevealed} into the activity's result and the sealed secret. */
export function splitRevealed(stored: unknown): { result: Record<string, unknown>; exportBundle?: string | undefined } {
  const { revealed, ...result } = stored as Record<string, unknown>
  return { result, ...(typeof revealed === 'string' && { exportBundle: revealed }) }
}

/** Returns the time at which an activity's confirmation expires; null if the activity does not wait for one. */
export function confirmableUntil({ status, updated_at }: Pick<StoredActivity, 'status' | 'updated_at'>): Date | null {
  return status === 'ACTIVITY_STATUS_PENDING' ? new Date(updated_at.getTime() + confirmationMs) : null
}

export function isOpen(
  { now }: Pick<CustodyContext, 'now'>,
  { status, created_at }: Pick<StoredActivity, 'status' | 'created_at'>,
): boolean {
  return status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' && now() - created_at.getTime() <= votingMs
}
