import type { ActivityResponse } from 'latchkey/wire'
import { parseJson } from '../../http/parseJson.ts'
import { validate } from '../../http/validate.ts'
import { admit } from '../credentials/admit.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import type { ActivityDefinition } from './definition.ts'
import { assertFresh, assertType, type Envelope, parseEnvelope } from './envelope.ts'
import { findStored } from './findStored.ts'
import { fingerprint } from './fingerprint.ts'
import { presentActivity } from './presentActivities.ts'
import { recordActivity } from './recordActivity.ts'
import { canRecordAtOnce, recordAtOnce } from './recordAtOnce.ts'
import { assertStepUp } from './stepUp.ts'

export declare namespace submitActivity {
  type Parameters = { headers: Headers; body: Uint8Array }
}

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
  const at = new Date(context.now())
  const { stamp, envelope, organization, caller } = await identify(context, definition, { ...request, at })
  const keys = assertType(envelope, definition.types)
  assertFresh(context, envelope)
  definition.authorize(context, caller, organization)
  const parameters = validate(definition.parameters, envelope.parameters, 'activity')
  const identity = { org_id: organization.id, fingerprint: fingerprint(request.body) }
  const { body } = request
  const submission = { identity, envelope, keys, body, stamp, caller, organization, parameters }
  if (definition.isPure && canRecordAtOnce(submission))
    return {
      activity: await presentActivity(
        context,
        context.db,
        await recordAtOnce(context, definition, submission),
        caller.userId,
      ),
    }
  const stored = await findStored(context.db, identity)
  if (stored) return { activity: await presentActivity(context, context.db, stored, caller.userId) }
  if (definition.stepUp) assertStepUp(context, caller)
  return context.db.transaction().execute(async (db) => {
    const row = await recordActivity(context, db, { definition, submission })
    return { activity: await presentActivity(context, db, row, caller.userId) }
  })
}

/** Who sends it, by the stamp over the exact bytes, before anything is read from them; or by the call's own proof. */
async function identify(
  context: CustodyContext,
  definition: ActivityDefinition,
  { headers, body, at }: submitActivity.Parameters & { at: Date },
) {
  if (definition.authenticate) {
    const envelope = parseEnvelope(parseJson(body))
    const organization = await findOrganization(context, envelope.organizationId)
    const parameters = parseOwn(definition, envelope)
    const caller = await definition.authenticate(context, { organization, parameters, at })
    return { stamp: undefined, envelope, organization, caller }
  }
  const stamp = verifyStamp(headers, body)
  const envelope = parseEnvelope(parseJson(body))
  return { stamp, envelope, ...(await admit(context, { stamp, organizationId: envelope.organizationId, at })) }
}

function parseOwn(definition: ActivityDefinition, envelope: Envelope): unknown {
  assertType(envelope, definition.types)
  return validate(definition.parameters, envelope.parameters, 'activity')
}
