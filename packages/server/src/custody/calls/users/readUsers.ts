import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { OauthProviderTable } from '../../../platform/database/oauthProviderTable.ts'
import type { CredentialTable } from '../../../platform/database/organizationTables.ts'
import { readScope } from '../../credentials/findCaller.ts'
import { custodyError } from '../../custodyError.ts'
import { idSchema } from '../../custodySchemas.ts'
import { defineQuery } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { isGenuine, isTrusted } from '../../macs.ts'
import { listProviders } from '../../oidc/providers.ts'
import { assertReader } from '../../permissions.ts'
import { toTimestamp } from '../../toTimestamp.ts'

/** `get_user`: returns one user of an organization (custody protocol § 2.7). */
export const getUser = defineQuery({
  parameters: z.strictObject({ userId: idSchema }),
  authorize: assertReader,
  async run(context, { organization, parameters }) {
    return { user: await readUser(context, { orgId: organization.id, userId: parameters.userId }) }
  },
})

/** `list_users`: returns the users of an organization with their credentials (custody protocol § 2.7). */
export const listUsers = defineQuery({
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run(context, { organization }) {
    return { users: await readUsers(context, { orgId: organization.id }) }
  },
})

/** `get_authenticators`: returns the passkeys of one user (custody protocol § 2.7). */
export const getAuthenticators = defineQuery({
  parameters: z.strictObject({ userId: idSchema }),
  authorize: assertReader,
  async run(context, { organization, parameters }) {
    const { authenticators } = await readUser(context, { orgId: organization.id, userId: parameters.userId })
    return { authenticators }
  },
})

/**
 * `get_api_keys`: returns the API keys and sessions of one user, or of all users of an organization (custody protocol §
 * 2.7).
 */
export const getApiKeys = defineQuery({
  parameters: z.strictObject({ userId: idSchema.optional() }),
  authorize: assertReader,
  async run(context, { organization, parameters: { userId } }) {
    const users = await readOneOrAll(context, { orgId: organization.id, userId })
    return { apiKeys: users.flatMap((user) => user.apiKeys) }
  },
})

/**
 * `get_oauth_providers`: returns the identity providers of one user, or of all users of an organization (custody
 * protocol § 2.7).
 */
export const getOauthProviders = defineQuery({
  parameters: z.strictObject({ userId: idSchema.optional() }),
  authorize: assertReader,
  async run(context, { organization, parameters: { userId } }) {
    const users = await readOneOrAll(context, { orgId: organization.id, userId })
    return { oauthProviders: users.flatMap((user) => user.oauthProviders) }
  },
})

export declare namespace readUsers {
  type Parameters = {
    orgId: string
    /** @default all users */
    userId?: string | undefined
  }
}

/**
 * Returns an organization's users, oldest first, with their currently valid credentials (custody protocol § 2.7). The
 * key in an unopened e-mail is not a session and is not listed.
 */
export async function readUsers(context: CustodyContext, { orgId, userId }: readUsers.Parameters) {
  const query = context.db.selectFrom('users').selectAll().where('org_id', '=', orgId)
  const rows = await (userId === undefined ? query : query.where('id', '=', userId))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const users = rows.filter((row) => isTrusted(context, 'users', row))
  const now = new Date(context.now())
  const credentials = await context.db
    .selectFrom('credentials')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('mail_codes')
            .select('mail_codes.id')
            .whereRef('mail_codes.org_id', '=', 'credentials.org_id')
            .whereRef('mail_codes.credential_id', '=', 'credentials.id')
            .where('mail_codes.spent_at', 'is', null),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const genuine = credentials.filter((row) => isGenuine(context.macKey, 'credentials', row))
  const providers = await listProviders(context, context.db, { orgId, userId })
  return users.map((row) => {
    const own = genuine.filter((credential) => credential.user_id === row.id)
    return {
      userId: row.id,
      userName: row.name,
      ...(row.email !== null && { userEmail: row.email }),
      authenticators: own.filter(({ kind }) => kind === 'passkey').map(toAuthenticator),
      apiKeys: own.filter(({ kind }) => kind === 'api_key').map(toApiKey),
      userTags: [],
      oauthProviders: providers.filter(({ user_id }) => user_id === row.id).map(toOauthProvider),
      createdAt: toTimestamp(row.created_at),
      updatedAt: toTimestamp(row.created_at),
      mfaPolicies: [],
    }
  })
}

/** @throws `NOT_FOUND` if `userId` is given and the organization has no such user */
async function readOneOrAll(context: CustodyContext, { orgId, userId }: readUsers.Parameters) {
  return userId === undefined ? readUsers(context, { orgId }) : [await readUser(context, { orgId, userId })]
}

async function readUser(context: CustodyContext, parameters: Required<readUsers.Parameters>) {
  const [user] = await readUsers(context, parameters)
  if (user) return user
  throw custodyError('NOT_FOUND', 'No user with this id in this organization.')
}

/**
 * Returns the Authenticator object of custody protocol § 2.7, without a model. Its public key is COSE in hex. The
 * AAGUID is unproven, since attestations are not requested, and may be all zeros.
 */
function toAuthenticator(row: Selectable<CredentialTable>) {
  return {
    authenticatorId: row.id,
    authenticatorName: row.name,
    transports: row.transports ?? [],
    attestationType: 'none',
    aaguid: row.aaguid ?? '',
    credentialId: row.credential_id ?? '',
    model: '',
    credential: { publicKey: row.public_key, type: row.type },
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
    ...readLastUse(row),
  }
}

function toOauthProvider(row: Selectable<OauthProviderTable>) {
  return {
    providerId: row.id,
    providerName: row.name,
    issuer: row.issuer,
    audience: row.audience,
    subject: row.subject,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
  }
}

/**
 * Returns a member that Latchkey adds to Turnkey's objects: the time of last use, accurate to an hour. Null if the
 * credential was used only in its first hour.
 */
function readLastUse({ last_used_at }: Selectable<CredentialTable>) {
  return last_used_at && { lastUsedAt: toTimestamp(last_used_at) }
}

/** Returns the ApiKey object of custody protocol § 2.7. `expirationSeconds`: total lifetime of an expiring key. */
function toApiKey(row: Selectable<CredentialTable>) {
  const lifeMs = row.expires_at && row.expires_at.getTime() - row.created_at.getTime()
  return {
    apiKeyId: row.id,
    apiKeyName: row.name,
    credential: { publicKey: row.public_key, type: row.type },
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
    ...readLastUse(row),
    ...(lifeMs !== null && { expirationSeconds: String(Math.round(lifeMs / 1000)) }),
    ...(row.scope !== null && { scope: readScope(row) }),
  }
}
