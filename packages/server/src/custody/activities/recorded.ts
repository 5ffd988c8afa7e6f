import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { isConflict } from '../../platform/errors/databaseErrors.ts'
import { toServerError } from '../../platform/http/errorResponse.ts'
import { parseJson, validate } from '../../platform/http/requestBody.ts'
import { findCaller } from '../credentials/findCaller.ts'
import { custodyError, custodyErrorBody } from '../custodyError.ts'
import type { ActivityDefinition } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/organization.ts'
import { verifyLoggedStamp } from '../stamps/verifyStamp.ts'
import { assertType, fingerprint, parseEnvelope } from './envelope.ts'
import type { completeActivity } from './recordActivity.ts'
import { type StoredActivity, updateActivity } from './storedActivity.ts'

/** An activity that waited for votes or for a confirmation. */
export type Waiting = { row: StoredActivity; organization: Organization; definition: ActivityDefinition }

/**
 * Reads an activity's request, and verifies body and stamp again as of the logged time. Accepts a credential that has
 * expired since then, but refuses a revoked one.
 */
export async function readRecorded(
  context: CustodyContext,
  db: Db,
  { row, organization, definition }: Waiting,
): Promise<completeActivity.Parameters> {
  const logged = await db
    .selectFrom('activity_log')
    .select(['body', 'stamp', 'logged_at'])
    .where('org_id', '=', organization.id)
    .where('activity_id', '=', row.id)
    .executeTakeFirstOrThrow()
  const { body } = logged
  if (fingerprint(body) !== row.fingerprint)
    throw custodyError('REQUEST_INVALID', 'What is logged is not what was asked for. It was not done.')
  const envelope = parseEnvelope(parseJson(body))
  const keys = assertType(envelope, definition.types)
  const parameters = validate(definition.parameters, envelope.parameters, 'activity')
  const at = logged.logged_at
  const own = await definition.authenticate?.({ ...context, db }, { organization, parameters, at })
  const stamp = own ? undefined : verifyLoggedStamp(logged.stamp, body)
  const caller =
    own ?? (await findCaller({ ...context, db }, { stamp: verifyLoggedStamp(logged.stamp, body), organization, at }))
  return { definition, row, keys, caller, organization, parameters, stamp }
}

/** Completes a waiting activity, or stores its failure. */
export async function settle(
  context: CustodyContext,
  db: Db,
  { row, run }: { row: StoredActivity; run(): Promise<unknown> },
): Promise<void> {
  await sql`savepoint settled`.execute(db)
  try {
    await run()
  } catch (error) {
    // Another transaction conflicted, so everything runs again.
    if (isConflict(error)) throw error
    const known = toServerError(error, context.logger, { activityId: row.id })
    // An unreachable service is not recorded as a failure, so that the activity can be retried.
    if (known.status > 500) throw known
    await sql`rollback to savepoint settled`.execute(db)
    const failure = { ...custodyErrorBody(known) }
    await updateActivity(context, db, row, { status: 'ACTIVITY_STATUS_FAILED', failure })
  }
}
