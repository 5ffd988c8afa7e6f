import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { OauthProviderTable } from '../../../platform/database/oauthProviderTable.ts'
import type { Db } from '../../../platform/database/openStore.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { custodyError } from '../../custodyError.ts'
import { maxOauthProviders } from '../../custodyLimits.ts'
import { idSchema, nameSchema } from '../../custodySchemas.ts'
import { type ActivityVerification, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueNotice } from '../../enqueueMail.ts'
import { addProvider, listProviders, revokeProviders } from '../../oidc/providers.ts'
import {
  describeVerified,
  idTokenSchema,
  type OidcIdentity,
  readVerified,
  verifyIdToken,
} from '../../oidc/verifyIdToken.ts'
import type { Organization } from '../../organizations/organization.ts'
import { findUser } from '../../organizations/user.ts'
import { findSignInMethod, proveUserEmail } from '../../organizations/userEmail.ts'
import { assertOwnSubOrganization, assertParentOnChild, assertSelf } from '../../permissions.ts'
import { assertStepUp } from '../../stepUp.ts'
import { assertSignInRemains } from './ownCredentials.ts'

/** Identities to add, each proven by its token. */
export const newProvidersSchema = z.array(z.strictObject({ providerName: nameSchema, oidcToken: idTokenSchema }))

const parametersSchema = z.strictObject({
  userId: idSchema,
  oauthProviders: newProvidersSchema.min(1).max(maxOauthProviders),
})
type Parameters = z.output<typeof parametersSchema>

/**
 * `create_oauth_providers`: adds identities to the calling user, proven by tokens bound to the stamping key (custody
 * protocol § 2.6). The parent may add an identity whose token proves the user's own address, since an e-mail to that
 * address signs in as well.
 *
 * @throws `OIDC_TOKEN_INVALID`, `CREDENTIAL_CONFLICT`, `REQUEST_NOT_AUTHORIZED`.
 */
export const createOauthProviders = defineActivity({
  types: Object.fromEntries(
    ['', '_V2'].map((version) => [
      `ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS${version}`,
      {
        intent: `createOauthProvidersIntent${version.slice(1)}`,
        result: `createOauthProvidersResult${version.slice(1)}`,
      },
    ]),
  ),
  parameters: parametersSchema,
  authorize(context, caller, organization) {
    if (isParent(caller, organization)) return assertParentOnChild(context, caller, organization)
    assertOwnSubOrganization(context, caller, organization)
    assertStepUp(context, caller)
  },
  quorum: false,
  confirmation(context, { caller, organization, parameters: { oauthProviders } }) {
    if (isParent(caller, organization)) return undefined
    const { rootOrgId } = caller
    // Shows the identity for the user to recognize, since a compromised page or signer API could have replaced it.
    const names = oauthProviders.map(({ oidcToken: token }) => describeVerified(context, { token, rootOrgId }))
    return { action: 'add-provider', detail: names.join(', '), isAlwaysAsked: true }
  },
  verify: verifyNewProviders,
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, oauthProviders } = parameters
    const { id: orgId } = organization
    const request = { userId, orgId, rootOrgId: caller.rootOrgId, oauthProviders }
    if (isParent(caller, organization)) await assertProvenAddress(context, db, request)
    else assertSelf(caller, userId)
    const added = await registerProviders(context, db, request)
    if (isParent(caller, organization)) await proveUserEmail(context, db, { orgId, userId })
    await enqueueNotice(context, db, { kind: 'provider-added', organizationId: orgId, userId, activityId })
    return { providerIds: added.map(({ id }) => id) }
  },
})

const isParent = (caller: Caller, { id }: Organization) => caller.orgId !== id

async function verifyNewProviders(
  context: CustodyContext,
  { caller, organization, parameters }: ActivityVerification<Parameters>,
): Promise<void> {
  const publicKey = isParent(caller, organization) ? undefined : caller.publicKey
  for (const { oidcToken: token } of parameters.oauthProviders)
    await verifyIdToken(context, { token, rootOrgId: caller.rootOrgId, publicKey })
}

type Registration = {
  userId: string
  orgId: string
  rootOrgId: string
  oauthProviders: Parameters['oauthProviders']
}

/** Checks that the tokens prove the user's address, and that the address is the account's only sign-in method. */
async function assertProvenAddress(
  context: CustodyContext,
  db: Db,
  { userId, orgId, rootOrgId, oauthProviders }: Registration,
): Promise<void> {
  const user = await findUser(context, db, { orgId, userId })
  const isOwn = oauthProviders.every(({ oidcToken: token }) => {
    const { email } = readVerified(context, { token, rootOrgId })
    return email !== undefined && email.toLowerCase() === user.email?.toLowerCase()
  })
  const isOpen = user.email_verified_at === null && (user.email_claimed || (await findSignInMethod(context, db, user)))
  if (isOwn && !isOpen) return
  throw custodyError(
    'REQUEST_NOT_AUTHORIZED',
    'The token does not prove the address of this account. Its user signs in first, then adds the provider.',
  )
}

export async function registerProviders(
  context: CustodyContext,
  db: Db,
  { userId, orgId, rootOrgId, oauthProviders }: Registration,
): Promise<(OidcIdentity & { id: string })[]> {
  const added: (OidcIdentity & { id: string })[] = []
  for (const { providerName: name, oidcToken: token } of oauthProviders) {
    const identity = readVerified(context, { token, rootOrgId })
    const id = await addProvider(context, db, { orgId, userId, parentOrgId: rootOrgId, name, identity })
    added.push({ ...identity, id })
  }
  return added
}

/**
 * `delete_oauth_providers`: permanently removes the calling user's identities, but not the last sign-in method, and
 * ends the sessions that they started.
 *
 * @throws `NOT_FOUND`, `REQUEST_INVALID`.
 */
export const deleteOauthProviders = defineActivity({
  types: {
    ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: {
      intent: 'deleteOauthProvidersIntent',
      result: 'deleteOauthProvidersResult',
    },
  },
  parameters: z.strictObject({ userId: idSchema, providerIds: z.array(idSchema).min(1).max(maxOauthProviders) }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  notice: 'provider-removed',
  async confirmation(context, { db, caller, parameters: { providerIds } }) {
    const rows = await findOwnProviders(context, db, caller, providerIds)
    return { action: 'remove-provider', detail: rows.map(({ name }) => name).join(', ') }
  },
  async execute(context, { db, caller, organization: { id: orgId }, parameters }) {
    const { userId, providerIds } = parameters
    assertSelf(caller, userId)
    await revokeProviders(context, db, await findOwnProviders(context, db, caller, providerIds))
    await assertSignInRemains(db, { orgId, userId })
    const started = await db
      .selectFrom('credentials')
      .select('id')
      .where('org_id', '=', orgId)
      .where('user_id', '=', userId)
      .where('type', '=', 'CREDENTIAL_TYPE_OAUTH_KEY_P256')
      .where('id', '!=', caller.credentialId)
      .execute()
    await revokeCredentials(context, db, { orgId, userId, ids: started.map(({ id }) => id) })
    return { providerIds }
  },
})

async function findOwnProviders(
  context: CustodyContext,
  db: Db,
  { orgId, userId }: Pick<Caller, 'orgId' | 'userId'>,
  ids: readonly string[],
): Promise<Selectable<OauthProviderTable>[]> {
  const rows = await listProviders(context, db, { orgId, userId })
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined)
    throw custodyError('NOT_FOUND', `The user has no identity provider with the id ${missing}.`)
  return rows.filter(({ id }) => ids.includes(id))
}
