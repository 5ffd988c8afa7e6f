import { z } from 'zod'
import { parseJson, validate } from '../http/requestBody.ts'
import type { submitActivity } from './activities/submitActivity.ts'
import { admit } from './credentials/admit.ts'
import { advanceCounter } from './credentials/advanceCounter.ts'
import type { QueryDefinition, StampedRequest } from './definitions.ts'
import { assertNotDeleting, findOrganization } from './organizations/organization.ts'
import { assertBinding, assertNotStale, bindingSchema } from './stamps/freshness.ts'
import { verifyStamp } from './stamps/verifyStamp.ts'

const targetSchema = z.looseObject({ organizationId: z.string() })

/**
 * Runs a `/query/` call: stamp, body, caller, permission (custody protocol § 2.5). The caller of every query is
 * authenticated here. `path`: of the call.
 */
export async function readQuery(
  context: submitActivity.Context,
  definition: QueryDefinition,
  { headers, body: bytes, path }: StampedRequest & { path: string },
): Promise<object> {
  const stamp = verifyStamp(headers, bytes)
  const body = parseJson(bytes)
  const { organizationId } = validate(targetSchema, body)
  const { binding, rest } = takeBinding(body as Record<string, unknown>)
  const parameters = validate(definition.parameters, rest)
  assertBinding(context, binding, path)
  const { organization, caller } = await findAuthor(context, definition, { stamp, organizationId })
  if (!definition.duringDeletion) assertNotDeleting(organization)
  await context.limits.takeQuery(organization)
  const share = { project: organization.parentId ?? organization.id, organization: organization.id }
  return context.limits.takeWorkTurn(share, async () => {
    await advanceCounter(context, context.db, caller)
    await assertNotStale(context, { stamp, body: bytes, caller, binding })
    definition.authorize(context, caller, organization)
    const isBound = binding.path !== undefined
    return definition.run(context, { caller, organization, parameters, stamp, isBound })
  })
}

type Asked = { stamp: verifyStamp.ReturnType; organizationId: string }

async function findAuthor(context: submitActivity.Context, { authenticate }: QueryDefinition, asked: Asked) {
  if (!authenticate) return admit(context, asked)
  const organization = await findOrganization(context, asked.organizationId)
  return { organization, caller: await authenticate(context, { stamp: asked.stamp, organization }) }
}

/** The members that bind a body to a call and a time, and the parameters beside them. */
function takeBinding({ organizationId: _, path, timestampMs, ...parameters }: Record<string, unknown>) {
  // `get_wallet_account` of the documented wire has a derivation path of this name.
  const isBinding = typeof path === 'string' && path.startsWith('/public/')
  const binding = validate(bindingSchema, {
    ...(isBinding && { path }),
    ...(timestampMs !== undefined && { timestampMs }),
  })
  return { binding, rest: isBinding || path === undefined ? parameters : { ...parameters, path } }
}
