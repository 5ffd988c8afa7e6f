import type { ActivityResponse } from 'latchkey-protocol'
import { parseJson, validate } from '../../platform/http/requestBody.ts'
import type { RequestLimits } from '../createRequestLimits.ts'
import { admit, findCallerBelow } from '../credentials/findCaller.ts'
import type { ActivityDefinition, StampedRequest } from '../definitions.ts'
import { inNotedTransaction } from '../inNotedTransaction.ts'
import { assertNotDeleting, assertNotFrozen, findOrganization } from '../organizations/organization.ts'
import { assertInScope } from '../permissions.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import { assertStepUp } from '../stepUp.ts'
import type { Recorder } from './createRecorder.ts'
import { assertFresh, assertType, fingerprint, parseEnvelope } from './envelope.ts'
import { presentActivity } from './presentActivity.ts'
import { canRecordDirectly, recordActivity, recordDirectly } from './recordActivity.ts'
import { findStored } from './storedActivity.ts'

export declare namespace submitActivity {
  /** `record` writes finished activities in batches; `limits` are checked before anything else. */
  type Context = admit.Context & { record: Recorder; limits: RequestLimits }
}

/**
 * Runs a `/submit/` call: checks stamp, envelope, caller and permission, then executes once per (organization,
 * fingerprint). A repeated request returns the stored activity; concurrent duplicates wait for the first. A failed
 * activity stores nothing, so the same request may be retried.
 */
export async function submitActivity(
  context: submitActivity.Context,
  definition: ActivityDefinition,
  request: StampedRequest,
): Promise<ActivityResponse> {
  const at = new Date(context.now())
  const identified = await identify(context, definition, { ...request, at })
  const { organization, stamper } = identified
  await context.limits.takeActivity(organization, { isStamped: stamper !== undefined })
  const run = definition.isPure ? context.limits.runSigning : context.limits.runWork
  return run(organization, () => submit(context, definition, { ...request, ...identified, at }))
}

type Identified = Awaited<ReturnType<typeof identify>>

async function submit(
  context: submitActivity.Context,
  definition: ActivityDefinition,
  {
    headers,
    body,
    requestId,
    asker = null,
    stamp,
    envelope,
    organization,
    stamper,
    at,
  }: StampedRequest & Identified & { at: Date },
): Promise<ActivityResponse> {
  const keys = assertType(envelope, definition.types)
  assertFresh(context, envelope)
  if (!definition.duringFreeze) assertNotFrozen(organization)
  if (!definition.duringDeletion) assertNotDeleting(organization)
  if (stamper) {
    assertInScope(stamper, definition)
    definition.authorize(context, stamper, organization)
  }
  const parameters = validate(definition.parameters, envelope.parameters, 'activity')
  const identity = { org_id: organization.id, fingerprint: fingerprint(body) }
  const requester = { userAgent: headers.get('user-agent') ?? undefined, origin: headers.get('origin') ?? undefined }
  const asked = { definition, identity, envelope, keys, body, asker, stamp, organization, parameters, requester }
  if (stamper && (await canRecordDirectly(context, { ...asked, caller: stamper }))) {
    const row = await recordDirectly(context, { ...asked, caller: stamper })
    return { activity: await presentActivity(context, context.db, row, stamper.userId) }
  }
  // A retry after a lost response. Its bytes, including the stamp or code, identify the stored activity.
  const stored = await findStored(context, context.db, identity)
  if (stored) return { activity: await presentActivity(context, context.db, stored, stamper?.userId) }
  const caller = stamper ?? (await definition.authenticate?.(context, { organization, parameters, at }))
  if (!caller) throw new TypeError('an activity without a caller')
  if (definition.stepUp) assertStepUp(context, caller)
  await definition.verify?.(context, { caller, organization, parameters })
  return inNotedTransaction(context, requestId, async (db, noting) => {
    const row = await recordActivity(noting, db, { ...asked, caller })
    return { activity: await presentActivity(context, db, row, caller.userId) }
  })
}

/**
 * Verifies the stamp over the exact bytes before parsing them, and finds the caller. Calls without a stamp verify their
 * own proof later.
 */
async function identify(
  context: submitActivity.Context,
  definition: ActivityDefinition,
  { headers, body, at }: StampedRequest & { at: Date },
) {
  const stamp = definition.authenticate ? undefined : verifyStamp(headers, body)
  const envelope = parseEnvelope(parseJson(body))
  const { organizationId } = envelope
  if (!stamp) return { stamp, envelope, organization: await findOrganization(context, organizationId) }
  const { organization, caller: stamper } = await admit(context, { stamp, organizationId, at }).catch(async (error) => {
    const below = definition.findsBelow ? await admitBelow(context, { stamp, parentId: organizationId }) : undefined
    if (below) return below
    throw error
  })
  return { stamp, envelope, organization, stamper }
}

/** Finds the caller in the parent's only sub-organization with this credential, as `whoami` does. */
async function admitBelow(context: submitActivity.Context, parameters: findCallerBelow.Parameters) {
  const caller = await findCallerBelow(context, parameters)
  return caller && { organization: await findOrganization(context, caller.orgId), caller }
}
