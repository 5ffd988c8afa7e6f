import { z } from 'zod'
import { parseJson, validate } from '../../http/requestBody.ts'
import { advanceCounter } from '../credentials/advanceCounter.ts'
import { type Caller, findCaller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization, type Organization } from '../organizations/findOrganization.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'

/**
 * Lets in a `/query/` call: a stamp of a user of the organization that the body names, or of its parent (custody
 * protocol § 2.5), and a body of that shape. `organizationId` need not be in `members`.
 *
 * @throws ServerError
 */
export async function readQuery<members extends z.ZodRawShape>(
  context: CustodyContext,
  request: { headers: Headers; body: Uint8Array },
  members: members,
): Promise<{ caller: Caller; organization: Organization; parameters: z.output<z.ZodObject<members>> }> {
  const stamp = verifyStamp(request.headers, request.body)
  const body = parseJson(request.body)
  const { organizationId } = validate(z.looseObject({ organizationId: z.string() }), body)
  const { organizationId: _, ...rest } = body as Record<string, unknown>
  const parameters = validate(z.strictObject(members), rest)
  const organization = await findOrganization(context, organizationId)
  const caller = await findCaller(context, { stamp, organization })
  await advanceCounter(context, context.db, caller)
  return { caller, organization, parameters }
}
