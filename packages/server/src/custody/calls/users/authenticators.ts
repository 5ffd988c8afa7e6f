import { z } from 'zod'
import type { Db } from '../../../platform/database/openStore.ts'
import { verifyRegistration } from '../../../webauthn/verifyRegistration.ts'
import { addPasskey } from '../../credentials/addPasskey.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { maxPasskeys } from '../../custodyLimits.ts'
import { authenticatorSchema, idSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { trustedOrigins } from '../../organizations/trustedProjects.ts'
import { assertOwnSubOrganization, assertSelf } from '../../permissions.ts'
import { assertSignInRemains, findOwnCredentials } from './ownCredentials.ts'

/** `create_authenticators`, version 2: a user adds passkeys to their own credentials (custody protocol § 2.6). */
export const createAuthenticators = defineActivity({
  types: {
    ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: {
      intent: 'createAuthenticatorsIntentV2',
      result: 'createAuthenticatorsResult',
    },
  },
  parameters: z.strictObject({
    userId: z.uuid(),
    authenticators: z.array(authenticatorSchema).min(1).max(maxPasskeys),
  }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  notice: 'passkey-added',
  confirmation: (_context, { parameters: { authenticators } }) => ({
    action: 'add-passkey',
    detail: authenticators.map(({ authenticatorName }) => authenticatorName).join(', '),
    isPasskey: authenticators.length === 1,
  }),
  async execute(context, { db, caller, organization, parameters, isConfirmed = false }) {
    assertSelf(caller, parameters.userId)
    const { authenticators } = parameters
    const owner = { userId: caller.userId, orgId: organization.id, rootOrgId: caller.rootOrgId }
    const request = { ...owner, authenticators, isConfirmed }
    return { authenticatorIds: await registerPasskeys(context, db, request) }
  },
})

export declare namespace registerPasskeys {
  type Parameters = {
    userId: string
    orgId: string
    /** Parent of `orgId`; passkeys may come from its projects' origins. */
    rootOrgId: string
    authenticators: readonly z.output<typeof authenticatorSchema>[]
    /** Whether the user confirmed the passkeys by e-mail. @default false */
    isConfirmed?: boolean
  }
}

/**
 * Verifies registrations and adds the passkeys to a user. Returns the credentials' ids.
 *
 * @throws `REQUEST_INVALID`, `CREDENTIAL_CONFLICT`.
 */
export async function registerPasskeys(
  context: CustodyContext,
  db: Db,
  { userId, orgId, rootOrgId, authenticators, isConfirmed = false }: registerPasskeys.Parameters,
): Promise<string[]> {
  if (authenticators.length === 0) return []
  const allowedOrigins = trustedOrigins(context, rootOrgId)
  const ids: string[] = []
  for (const { authenticatorName, challenge, attestation } of authenticators) {
    const registration = verifyRegistration({ challenge, attestation, allowedOrigins })
    const passkey = { name: authenticatorName, transports: attestation.transports, registration, isConfirmed }
    ids.push(await addPasskey(context, db, { userId, orgId, ...passkey }))
  }
  return ids
}

/**
 * `delete_authenticators`: a user permanently removes their own passkeys, but not the last sign-in method (custody
 * protocol § 2.7).
 */
export const deleteAuthenticators = defineActivity({
  types: {
    ACTIVITY_TYPE_DELETE_AUTHENTICATORS: {
      intent: 'deleteAuthenticatorsIntent',
      result: 'deleteAuthenticatorsResult',
    },
  },
  parameters: z.strictObject({ userId: idSchema, authenticatorIds: z.array(idSchema).min(1).max(10) }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  notice: 'credential-removed',
  async confirmation(_context, { db, caller, parameters: { authenticatorIds: ids } }) {
    const passkeys = await findOwnCredentials(db, { ...caller, kind: 'passkey', ids })
    const others = passkeys.filter(({ id }) => id !== caller.credentialId)
    return others.length === 0
      ? undefined
      : { action: 'remove-credential', detail: others.map(({ name }) => name).join(', ') }
  },
  async execute(context, { db, caller, organization: { id: orgId }, parameters }) {
    const { userId, authenticatorIds: ids } = parameters
    assertSelf(caller, userId)
    await findOwnCredentials(db, { orgId, userId, kind: 'passkey', ids })
    await revokeCredentials(context, db, { orgId, userId, ids })
    await assertSignInRemains(db, { orgId, userId })
    return { authenticatorIds: ids }
  },
})
