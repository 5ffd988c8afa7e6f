import type { CustodyContext } from '../deps.ts'
import { findOrganization, type Organization } from '../organizations/findOrganization.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { type Caller, findCaller } from './findCaller.ts'

/**
 * The organization a request names, and who stamped it.
 *
 * @throws ServerError as `findOrganization` and `findCaller`
 */
export async function admit(context: CustodyContext, parameters: admit.Parameters): Promise<admit.ReturnType> {
  const { stamp, organizationId, at } = parameters
  const organization = await findOrganization(context, organizationId)
  return { organization, caller: await findCaller(context, { stamp, organization, at }) }
}

export declare namespace admit {
  type Parameters = {
    stamp: verifyStamp.ReturnType
    organizationId: string
    /** When the request came in. @default now */
    at?: Date | undefined
  }
  type ReturnType = { organization: Organization; caller: Caller }
}
