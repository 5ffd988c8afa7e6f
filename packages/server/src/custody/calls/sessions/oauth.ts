import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { OauthProviderTable } from '../../../platform/database/oauthProviderTable.ts'
import type { Db } from '../../../platform/database/openStore.ts'
import { addSealedSession, addSessionKey } from '../../credentials/addSessionKey.ts'
import { custodyError } from '../../custodyError.ts'
import { compressedKeySchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { type ActivityExecution, type ActivityVerification, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { findProvider } from '../../oidc/providers.ts'
import { idTokenSchema, readVerified, verifyIdToken } from '../../oidc/verifyIdToken.ts'
import { assertParentOnChild } from '../../permissions.ts'
import { describeSession } from './stampLogin.ts'

const signIn = {
  authorize: assertParentOnChild,
  // The session can only cancel the deletion.
  duringDeletion: true,
  isResultTransient: true,
  secret: 'oidcToken',
}

/**
 * `oauth`: signs in by the token of an identity provider (custody protocol § 2.7). The token's nonce is bound to the
 * frame's key, and the session is sealed to that key. A token alone is therefore useless, even to the signer API.
 *
 * @throws `OIDC_TOKEN_INVALID`, `CREDENTIAL_NOT_FOUND`.
 */
export const oauth = defineActivity({
  ...signIn,
  types: { ACTIVITY_TYPE_OAUTH: { intent: 'oauthIntent', result: 'oauthResult' } },
  parameters: z.strictObject({
    oidcToken: idTokenSchema,
    targetPublicKey: uncompressedKeySchema,
    apiKeyName: nameSchema.optional(),
    expirationSeconds: secondsSchema.optional(),
    invalidateExisting: z.boolean().optional(),
  }),
  verify: (context, request) => verifySignIn(context, request, request.parameters.targetPublicKey),
  async execute(context, execution) {
    const { db, organization, parameters } = execution
    const { user_id: userId } = await findSignedIn(context, db, execution)
    const { apiKeyId, credentialBundle } = await addSealedSession(context, db, {
      userId,
      orgId: organization.id,
      name: parameters.apiKeyName ?? `OAuth - ${new Date(context.now()).toISOString()}`,
      targetPublicKey: parameters.targetPublicKey,
      type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256',
      expirationSeconds: parameters.expirationSeconds,
      invalidateExisting: parameters.invalidateExisting,
    })
    return { userId, apiKeyId, credentialBundle }
  },
})

/**
 * `oauth_login`: {@link oauth} for a key that the client holds (custody protocol § 2.7). Returns a token that describes
 * the session.
 *
 * @throws `OIDC_TOKEN_INVALID`, `CREDENTIAL_NOT_FOUND`.
 */
export const oauthLogin = defineActivity({
  ...signIn,
  types: { ACTIVITY_TYPE_OAUTH_LOGIN: { intent: 'oauthLoginIntent', result: 'oauthLoginResult' } },
  parameters: z.strictObject({
    oidcToken: idTokenSchema,
    publicKey: compressedKeySchema,
    expirationSeconds: secondsSchema.optional(),
    invalidateExisting: z.boolean().optional(),
  }),
  verify: (context, request) => verifySignIn(context, request, request.parameters.publicKey),
  async execute(context, execution) {
    const { db, organization, parameters } = execution
    const { publicKey, expirationSeconds, invalidateExisting } = parameters
    const { user_id: userId } = await findSignedIn(context, db, execution)
    const { expiresAt } = await addSessionKey(context, db, {
      userId,
      orgId: organization.id,
      name: `OAuth login - ${new Date(context.now()).toISOString()}`,
      publicKey,
      type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256',
      expirationSeconds,
      invalidateExisting,
    })
    return { session: describeSession(context, { publicKey, expiresAt, userId, orgId: organization.id }) }
  },
})

async function verifySignIn(
  context: CustodyContext,
  { caller, parameters: { oidcToken: token } }: ActivityVerification<{ oidcToken: string }>,
  publicKey: string,
): Promise<void> {
  await verifyIdToken(context, { token, rootOrgId: caller.rootOrgId, publicKey })
}

async function findSignedIn(
  context: CustodyContext,
  db: Db,
  { caller, organization, parameters }: ActivityExecution<{ oidcToken: string }>,
): Promise<Selectable<OauthProviderTable>> {
  const identity = readVerified(context, { token: parameters.oidcToken, rootOrgId: caller.rootOrgId })
  const found = await findProvider(context, db, { orgId: organization.id, identity })
  if (found) return found
  throw custodyError(
    'CREDENTIAL_NOT_FOUND',
    'This identity does not sign in to this account, or no longer. Sign in another way, then add it.',
  )
}
