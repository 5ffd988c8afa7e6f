import type { Caller } from './credentials/findCaller.ts'
import { custodyError } from './custodyError.ts'
import type { CustodyContext } from './deps.ts'
import type { Organization } from './organizations/findOrganization.ts'
import { assertStepUp } from './stepUp.ts'

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
 * Only a user of the very organization, which is not a parent: what a parent's own keys are is configured.
 *
 * @throws ServerError `ORGANIZATION_MISMATCH` (400) | `INVALID_ACTIVITY_CALLER` (403)
 */
export function assertOwnSubOrganization(context: CustodyContext, caller: Caller, organization: Organization): void {
  assertOwnOrganization(context, caller, organization)
  if (organization.parentId !== null) return
  throw custodyError(
    'INVALID_ACTIVITY_CALLER',
    'The parent organization is set up by the configuration of the server. Users of sub-organizations may do this.',
  )
}

/**
 * Only a user of the very sub-organization who signs in: by what never expires, or by a session whose user is there. An
 * old session cannot prolong itself.
 *
 * @throws ServerError `ORGANIZATION_MISMATCH` (400) | `INVALID_ACTIVITY_CALLER` | `REQUEST_NOT_AUTHORIZED` (403)
 */
export function assertSigningIn(context: CustodyContext, caller: Caller, organization: Organization): void {
  assertOwnSubOrganization(context, caller, organization)
  if (caller.expiresAt !== null) assertStepUp(context, caller)
}

/**
 * Only the user themselves: nobody gives credentials to others or changes what is theirs.
 *
 * @throws ServerError `REQUEST_NOT_AUTHORIZED` (403)
 */
export function assertSelf(caller: Caller, userId: string): void {
  if (userId.toLowerCase() === caller.userId) return
  throw custodyError('REQUEST_NOT_AUTHORIZED', 'Users may do this only to themselves.')
}

/**
 * Only an API key of a parent organization, acting on the parent itself.
 *
 * @throws ServerError `INVALID_ACTIVITY_CALLER` (403)
 */
export function assertRootOnRoot(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (organization.parentId === null && caller.orgId === organization.id) return
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
