import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/findOrganization.ts'

/**
 * Only a user of the very organization: never its parent (custody protocol § 2.5).
 *
 * @throws ServerError `ORGANIZATION_MISMATCH` (400)
 */
export function assertOwnOrganization(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (caller.orgId === organization.id) return
  throw custodyError(
    'ORGANIZATION_MISMATCH',
    `organization mismatch: request is targeting organization ("${organization.id}"), but voters are in organization ("${caller.orgId}")`,
  )
}

/**
 * Only an API key of the parent organization, acting on the parent itself.
 *
 * @throws ServerError `INVALID_ACTIVITY_CALLER` (403)
 */
export function assertRootOnRoot(context: CustodyContext, caller: Caller, organization: Organization): void {
  if (caller.orgId === context.rootOrganizationId && organization.id === context.rootOrganizationId) return
  throw custodyError(
    'INVALID_ACTIVITY_CALLER',
    'Only the API key of the parent organization may do this, in the parent organization.',
  )
}

/**
 * Only an API key of the parent organization, acting on one of its sub-organizations.
 *
 * @throws ServerError `INVALID_ACTIVITY_CALLER` (403)
 */
export function assertParentOnChild(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (organization.parentId !== null && caller.orgId === organization.parentId) return
  throw custodyError(
    'INVALID_ACTIVITY_CALLER',
    'Only the API key of the parent organization may do this, for one of its sub-organizations.',
  )
}
