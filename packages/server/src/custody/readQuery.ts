import { headers } from 'latchkey-protocol'
import { z } from 'zod'
import { parseJson, validate } from '../platform/http/requestBody.ts'
import type { submitActivity } from './activities/submitActivity.ts'
import { advanceCounter } from './credentials/advanceCounter.ts'
import { admit } from './credentials/findCaller.ts'
import { findReader, readOnlySessionHeader } from './credentials/readOnlySession.ts'
import type { QueryDefinition, StampedRequest } from './definitions.ts'
import { assertNotDeleting, assertNotFrozen, findOrganization } from './organizations/organization.ts'
import { assertInScope } from './permissions.ts'
import { assertBinding, assertNotStale, bindingSchema } from './stamps/freshness.ts'
import { verifyStamp } from './stamps/verifyStamp.ts'

const targetSchema = z.looseObject({ organizationId: z.string() })

/**
 * Runs a `/query/` call: checks stamp, body, caller and permission (custody protocol § 2.5). `path`: path of the call.
 */
export async function readQuery(
  context: submitActivity.Context,
  definition: QueryDefinition,
  { headers: requestHeaders, body: bytes, path }: StampedRequest & { path: string },
): Promise<object> {
  const proof = readProof(requestHeaders, bytes)
  const body = parseJson(bytes)
  const { organizationId } = validate(targetSchema, body)
  const { binding, rest } = takeBinding(body as Record<string, unknown>)
  const parameters = validate(definition.parameters, rest)
  assertBinding(context, binding, path)
  const { organization, caller } = await findAuthor(context, definition, { ...proof, organizationId })
  if (!definition.duringDeletion) {
    assertNotFrozen(organization)
    assertNotDeleting(organization)
  }
  await context.limits.takeQuery(organization)
  return context.limits.runWork(organization, async () => {
    await advanceCounter(context, context.db, caller)
    const { stamp } = proof
    if (stamp) await assertNotStale(context, { stamp, body: bytes, caller, binding })
    assertInScope(caller, definition)
    definition.authorize(context, caller, organization)
    const isBound = binding.path !== undefined
    return definition.run(context, { caller, organization, parameters, stamp, isBound })
  })
}

/** A stamp, or a read-only session with its own expiry. */
type Proof = { stamp: verifyStamp.ReturnType; session?: never } | { stamp?: never; session: string }

function readProof(requestHeaders: Headers, body: Uint8Array): Proof {
  const session = requestHeaders.get(readOnlySessionHeader)
  const isStamped = requestHeaders.has(headers.apiKeyStamp) || requestHeaders.has(headers.webauthnStamp)
  // Some clients also send the session with each stamp.
  return session === null || isStamped ? { stamp: verifyStamp(requestHeaders, body) } : { session }
}

async function findAuthor(
  context: submitActivity.Context,
  { authenticate }: QueryDefinition,
  { organizationId, ...proof }: Proof & { organizationId: string },
) {
  const { stamp } = proof
  if (stamp && !authenticate) return admit(context, { stamp, organizationId })
  const organization = await findOrganization(context, organizationId)
  const caller = stamp
    ? await authenticate?.(context, { stamp, organization })
    : await findReader(context, { session: proof.session, organization })
  if (!caller) throw new TypeError('a query without a caller')
  return { organization, caller }
}

/** Separates the parameters from the members that bind a body to a call and a time. */
function takeBinding({ organizationId: _, path, timestampMs, ...parameters }: Record<string, unknown>) {
  // The documented `get_wallet_account` has a derivation path under this name.
  const isBinding = typeof path === 'string' && path.startsWith('/public/')
  const binding = validate(bindingSchema, {
    ...(isBinding && { path }),
    ...(timestampMs !== undefined && { timestampMs }),
  })
  return { binding, rest: isBinding || path === undefined ? parameters : { ...parameters, path } }
}
