import { z } from 'zod'
import { parseJson, validate } from '../http/requestBody.ts'
import { advanceCounter } from './credentials/advanceCounter.ts'
import { findCaller } from './credentials/findCaller.ts'
import type { QueryDefinition, StampedRequest } from './definitions.ts'
import type { CustodyContext } from './deps.ts'
import { findOrganization } from './organizations/organization.ts'
import { verifyStamp } from './stamps/verifyStamp.ts'

const targetSchema = z.looseObject({ organizationId: z.string() })

/**
 * Runs a `/query/` call: stamp, body, caller, permission (custody protocol § 2.5). The caller of every query is
 * authenticated here.
 */
export async function readQuery(
  context: CustodyContext,
  definition: QueryDefinition,
  { headers, body: bytes }: StampedRequest,
): Promise<object> {
  const stamp = verifyStamp(headers, bytes)
  const body = parseJson(bytes)
  const { organizationId } = validate(targetSchema, body)
  const { organizationId: _, ...rest } = body as Record<string, unknown>
  const parameters = validate(definition.parameters, rest)
  const organization = await findOrganization(context, organizationId)
  const { authenticate = findCaller } = definition
  const caller = await authenticate(context, { stamp, organization })
  await advanceCounter(context, context.db, caller)
  definition.authorize(context, caller, organization)
  return definition.run(context, { caller, organization, parameters })
}
