import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { OauthProviderTable } from '../../../platform/database/oauthProviderTable.ts'
import type { Db } from '../../../platform/database/openStore.ts'
import { addSealedSession, addSessionKey } from '../../credentials/addSessionKey.ts'
import { custodyError } from '../../custodyError.ts'
import { spentTokenMs } from '../../custodyLimits.ts'
import { compressedKeySchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { takeCustodyToken } from '../../custodyTokens.ts'
import { type ActivityExecution, type ActivityVerification, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { countFactorTry, givenFactorsSchema, requireFactor } from '../../factors/requireFactor.ts'
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
 * @throws `CREDENTIAL_NOT_FOUND`, `MFA_INVALID`, `MFA_REQUIRED`, `OIDC_TOKEN_INVALID`.
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
    multiFactors: givenFactorsSchema,
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
 * @throws `CREDENTIAL_NOT_FOUND`, `MFA_INVALID`, `MFA_REQUIRED`, `OIDC_TOKEN_INVALID`.
 */
export const oauthLogin = defineActivity({
  ...signIn,
  types: { ACTIVITY_TYPE_OAUTH_LOGIN: { intent: 'oauthLoginIntent', result: 'oauthLoginResult' } },
  parameters: z.strictObject({
    oidcToken: idTokenSchema,
    publicKey: compressedKeySchema,
    expirationSeconds: secondsSchema.optional(),
    invalidateExisting: z.boolean().optional(),
    multiFactors: givenFactorsSchema,
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

type SignIn = { oidcToken: string; multiFactors?: z.output<typeof givenFactorsSchema> }

async function verifySignIn(
  context: CustodyContext,
  { caller, parameters }: ActivityVerification<SignIn>,
  publicKey: string,
): Promise<void> {
  const { oidcToken: token, multiFactors: given } = parameters
  await verifyIdToken(context, { token, rootOrgId: caller.rootOrgId, publicKey })
  await countFactorTry(context, { given, proof: 'mailbox' })
}

async function findSignedIn(
  context: CustodyContext,
  db: Db,
  { activityId, caller, organization, parameters }: ActivityExecution<SignIn>,
): Promise<Selectable<OauthProviderTable>> {
  const identity = readVerified(context, { token: parameters.oidcToken, rootOrgId: caller.rootOrgId })
  const found = await findProvider(context, db, { orgId: organization.id, identity })
  if (found) {
    const { user_id: userId, org_id: orgId } = found
    const { oidcToken, multiFactors: given } = parameters
    const hasFactor = await requireFactor(context, db, { orgId, userId, activityId, given, proof: 'mailbox' })
    if (hasFactor) await spendToken(db, oidcToken)
    return found
  }
  throw custodyError(
    'CREDENTIAL_NOT_FOUND',
    'This identity does not sign in to this account, or no longer. Sign in another way, then add it.',
  )
}

/** Lets a token of a user with a second factor start one session only, as an emailed code does. */
async function spendToken(db: Db, token: string): Promise<void> {
  const digest = createHash('sha256').update(token).digest('base64url')
  if ((await takeCustodyToken(db, { key: `oidc token ${digest}`, limit: 1, windowMs: spentTokenMs })).ok) return
  throw custodyError('OIDC_TOKEN_INVALID', 'This token was used already. Sign in at the identity provider again.')
}
