import type { ActivityResponse } from 'latchkey/wire'
import { parseJson } from '../../http/parseJson.ts'
import { validate } from '../../http/validate.ts'
import { inTransaction } from '../../store/inTransaction.ts'
import { admit } from '../credentials/admit.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import type { ActivityDefinition } from './definition.ts'
import { assertFresh, assertType, parseEnvelope } from './envelope.ts'
import { findStored } from './findStored.ts'
import { fingerprint } from './fingerprint.ts'
import { limitOrganization } from './limitOrganization.ts'
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
  const { body } = request
  const { stamp, envelope, organization, admitted } = await identify(context, definition, { ...request, at })
  const keys = assertType(envelope, definition.types)
  assertFresh(context, envelope)
  if (admitted) definition.authorize(context, admitted, organization)
  const parameters = validate(definition.parameters, envelope.parameters, 'activity')
  const identity = { org_id: organization.id, fingerprint: fingerprint(body) }
  const asked = { identity, envelope, keys, body, stamp, organization, parameters }
  if (admitted && definition.isPure && canRecordAtOnce({ ...asked, caller: admitted })) {
    const row = await recordAtOnce(context, definition, { ...asked, caller: admitted })
    return { activity: await presentActivity(context, context.db, row, admitted.userId) }
  }
  // Sent again, since the answer was lost: whoever knows the whole request knows its proof.
  const stored = await findStored(context, context.db, identity)
  if (stored) return { activity: await presentActivity(context, context.db, stored, admitted?.userId) }
  await limitOrganization(context, organization)
  const caller = admitted ?? (await definition.authenticate?.(context, { organization, parameters, at }))
  if (!caller) throw new TypeError('an activity without a caller')
  if (definition.stepUp) assertStepUp(context, caller)
  const submission = { ...asked, caller }
  return inTransaction(context.db, async (db) => {
    const row = await recordActivity(context, db, { definition, submission })
    return { activity: await presentActivity(context, db, row, caller.userId) }
  })
}

/** Who sends it, by the stamp over the exact bytes, before anything is read from them. A call's own proof comes later. */
async function identify(
  context: CustodyContext,
  definition: ActivityDefinition,
  { headers, body, at }: submitActivity.Parameters & { at: Date },
) {
  const stamp = definition.authenticate ? undefined : verifyStamp(headers, body)
  const envelope = parseEnvelope(parseJson(body))
  const { organizationId } = envelope
  if (!stamp) return { stamp, envelope, organization: await findOrganization(context, organizationId) }
  const { organization, caller: admitted } = await admit(context, { stamp, organizationId, at })
  return { stamp, envelope, organization, admitted }
}
