import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { ActivityResponse } from 'latchkey/wire'
import { parseJson } from '../../http/parseJson.ts'
import { validate } from '../../http/validate.ts'
import type { Db } from '../../store/openStore.ts'
import type { ActivityTable } from '../../store/tables.ts'
import { advanceCounter } from '../credentials/advanceCounter.ts'
import { findCaller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import type { ActivityDefinition } from './definition.ts'
import { assertFresh, assertType, parseEnvelope } from './envelope.ts'
import { fingerprint } from './fingerprint.ts'
import { toActivity } from './toActivity.ts'

/**
 * Runs a `/submit/` call: stamp, envelope, caller, permission, then once for each (organization, fingerprint). A request
 * that was run before answers the stored activity; concurrent copies of it wait for the first. An activity that fails
 * leaves nothing behind, so the same request may be tried again.
 */
export async function submitActivity(
  context: CustodyContext,
  definition: ActivityDefinition,
  request: submitActivity.Parameters,
): Promise<ActivityResponse> {
  const stamp = verifyStamp(request.headers, request.body)
  const envelope = parseEnvelope(parseJson(request.body))
  const organization = await findOrganization(context.db, envelope.organizationId)
  const caller = await findCaller(context, { stamp, organization })
  const keys = assertType(envelope, definition.types)
  assertFresh(context, envelope)
  definition.authorize(context, caller, organization)
  const parameters = validate(definition.parameters, envelope.parameters, 'activity')
  const identity = { org_id: organization.id, fingerprint: fingerprint(request.body) }

  const stored = await findStored(context.db, identity)
  if (stored) return { activity: toActivity(stored) }
  const row = await context.db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${identity.org_id + identity.fingerprint}, 0))`.execute(db)
    const done = await findStored(db, identity)
    if (done) return done
    // Within the transaction: a request that failed, or one sent twice, has not used its passkey's assertion up.
    await advanceCounter(db, caller)
    const activityId = randomUUID()
    await db
      .insertInto('activities')
      .values({
        id: activityId,
        ...identity,
        type: envelope.type,
        status: 'ACTIVITY_STATUS_PENDING',
        intent: JSON.stringify({ [keys.intent]: envelope.parameters }),
        result: '{}',
        body: new TextDecoder().decode(request.body),
        stamp: stamp.text,
        user_id: caller.userId,
        credential_id: caller.credentialId,
      })
      .execute()
    const result = await definition.execute(context, { db, activityId, caller, organization, parameters })
    return db
      .updateTable('activities')
      .set({
        status: 'ACTIVITY_STATUS_COMPLETED',
        result: JSON.stringify({ [keys.result]: result }),
        updated_at: new Date(context.now()),
      })
      .where('id', '=', activityId)
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { activity: toActivity(row) }
}

export declare namespace submitActivity {
  type Parameters = { headers: Headers; body: Uint8Array }
}

function findStored(
  db: Db,
  identity: Pick<Selectable<ActivityTable>, 'org_id' | 'fingerprint'>,
): Promise<Selectable<ActivityTable> | undefined> {
  return db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', identity.org_id)
    .where('fingerprint', '=', identity.fingerprint)
    .executeTakeFirst()
}
