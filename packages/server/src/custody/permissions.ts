import type { Caller } from './credentials/findCaller.ts'
import { custodyError } from './custodyError.ts'
import type { CustodyContext } from './deps.ts'
import type { Organization } from './organizations/organization.ts'
import { assertStepUp } from './stepUp.ts'

/**
 * Requires a user of the organization or of its parent (custody protocol § 2.5).
 *
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
export function assertReader(
  _context: unknown,
  caller: Pick<Caller, 'orgId'>,
  organization: Pick<Organization, 'id' | 'parentId'>,
): void {
  if (caller.orgId === organization.id || caller.orgId === organization.parentId) return
  throw custodyError('REQUEST_NOT_AUTHORIZED', 'Only users of the organization and of its parent may read this.')
}

/**
 * Requires a user of the organization itself, never its parent (custody protocol § 2.5).
 *
 * @throws `ORGANIZATION_MISMATCH`.
 */
export function assertOwnOrganization(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (caller.orgId === organization.id) return
  throw custodyError(
    'ORGANIZATION_MISMATCH',
    `organization mismatch: request is targeting organization ("${organization.id}"), but voters are in organization ("${caller.orgId}")`,
  )
}

/**
 * Requires a user of the organization itself. It must be a sub-organization, since a parent's own keys come from the
 * configuration.
 *
 * @throws `ORGANIZATION_MISMATCH`, `INVALID_ACTIVITY_CALLER`.
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
 * Requires a user of the sub-organization itself, with a credential without expiry or a session that passes step-up. An
 * old session cannot extend itself.
 *
 * @throws `ORGANIZATION_MISMATCH`, `INVALID_ACTIVITY_CALLER`, `REQUEST_NOT_AUTHORIZED`.
 */
export function assertSigningIn(context: CustodyContext, caller: Caller, organization: Organization): void {
  assertOwnSubOrganization(context, caller, organization)
  if (caller.expiresAt !== null) assertStepUp(context, caller)
}

/**
 * Requires the user themselves: users can neither add nor change others' credentials.
 *
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
export function assertSelf(caller: Caller, userId: string): void {
  if (userId.toLowerCase() === caller.userId) return
  throw custodyError('REQUEST_NOT_AUTHORIZED', 'Users may do this only to themselves.')
}

/**
 * Requires an API key of a parent organization, acting on the parent itself.
 *
 * @throws `INVALID_ACTIVITY_CALLER`.
 */
export function assertRootOnRoot(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (organization.parentId === null && caller.orgId === organization.id) return
  throw custodyError(
    'INVALID_ACTIVITY_CALLER',
    'Only the API key of the parent organization may do this, in the parent organization.',
  )
}

/**
 * Requires an API key of the parent organization, acting on one of its sub-organizations.
 *
 * @throws `INVALID_ACTIVITY_CALLER`.
 */
export function assertParentOnChild(_context: CustodyContext, caller: Caller, organization: Organization): void {
  if (organization.parentId !== null && caller.orgId === organization.parentId) return
  throw custodyError(
    'INVALID_ACTIVITY_CALLER',
    'Only the API key of the parent organization may do this, for one of its sub-organizations.',
  )
}

/**
 * Refuses all but signing and reading to an API key with a scope.
 *
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
export function assertInScope(
  { scope }: Pick<Caller, 'scope'>,
  { forScopedKeys = false }: { forScopedKeys?: boolean | undefined },
): void {
  if (scope === null || forScopedKeys) return
  throw custodyError(
    'REQUEST_NOT_AUTHORIZED',
    'This key may only sign, and read wallets and activities. Its user can do this in the app.',
  )
}
