import { z } from 'zod'
import type { Db } from '../../../platform/database/openStore.ts'
import { addApiKey } from '../../credentials/addApiKey.ts'
import { addSessionKey } from '../../credentials/addSessionKey.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { custodyError } from '../../custodyError.ts'
import { maxLongLivedKeys } from '../../custodyLimits.ts'
import { type apiKeySchema, apiKeysSchema, idSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueNotice } from '../../enqueueMail.ts'
import { assertOwnSubOrganization, assertSelf } from '../../permissions.ts'
import { assertStepUp } from '../../stepUp.ts'
import { describeScope } from '../signing/describeRules.ts'
import { assertSignInRemains, findOwnCredentials } from './ownCredentials.ts'

/**
 * `create_api_keys`: a user adds API keys to their own credentials (custody protocol § 2.7). A key with an expiry is a
 * session, which never counts as newer than the credential that stamps the request.
 */
export const createApiKeys = defineActivity({
  types: {
    ACTIVITY_TYPE_CREATE_API_KEYS_V2: { intent: 'createApiKeysIntentV2', result: 'createApiKeysResult' },
    ACTIVITY_TYPE_CREATE_API_KEYS: { intent: 'createApiKeysIntent', result: 'createApiKeysResult' },
  },
  parameters: z.strictObject({ userId: idSchema, apiKeys: apiKeysSchema.min(1) }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  confirmation: (_context, { parameters: { apiKeys } }) => ({
    action: apiKeys.every((key) => key.expirationSeconds !== undefined) ? 'start-session' : 'add-key',
    publicKeys: apiKeys.map(({ publicKey: hex, curveType }) => ({
      hex,
      isSecp256k1: curveType === 'API_KEY_CURVE_SECP256K1',
    })),
    detail: apiKeys.map((key) => key.apiKeyName).join(', '),
    acts: apiKeys.flatMap(({ apiKeyName, scope }) => (scope ? [describeScope(apiKeyName, scope)] : [])),
  }),
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, apiKeys } = parameters
    assertSelf(caller, userId)
    const organizationId = organization.id
    const apiKeyIds = await registerApiKeys(context, db, { userId, orgId: organizationId, apiKeys, by: caller })
    // Sends no notice for sessions, which the sign-in itself already reports.
    if (apiKeys.some((key) => key.expirationSeconds === undefined))
      await enqueueNotice(context, db, { kind: 'key-added', organizationId, userId, activityId })
    return { apiKeyIds }
  },
})

export declare namespace registerApiKeys {
  type Parameters = {
    userId: string
    orgId: string
    apiKeys: readonly z.output<typeof apiKeySchema>[]
    /** Caller that adds the keys; undefined for a new user. */
    by?: Caller | undefined
  }
}

/**
 * Adds API keys to a user. Keys with an expiry count as sessions. Returns the credentials' ids.
 * @throws `REQUEST_INVALID`, `CREDENTIAL_CONFLICT`.
 */
export async function registerApiKeys(
  context: CustodyContext,
  db: Db,
  { userId, orgId, apiKeys, by }: registerApiKeys.Parameters,
): Promise<string[]> {
  // Locked, so that concurrent additions cannot exceed the maximum number of keys.
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  const ids: string[] = []
  for (const { apiKeyName: name, publicKey, curveType, expirationSeconds, scope } of apiKeys) {
    const type =
      curveType === 'API_KEY_CURVE_SECP256K1' ? 'CREDENTIAL_TYPE_API_KEY_SECP256K1' : 'CREDENTIAL_TYPE_API_KEY_P256'
    const key = { userId, orgId, name, publicKey, type, by, scope } as const
    if (expirationSeconds === undefined) ids.push(await addApiKey(context, db, key))
    else ids.push((await addSessionKey(context, db, { ...key, expirationSeconds })).apiKeyId)
  }
  const { held } = await db
    .selectFrom('credentials')
    .select(({ fn }) => fn.countAll<string>().as('held'))
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'api_key')
    .where('expires_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (Number(held) > maxLongLivedKeys)
    throw custodyError(
      'REQUEST_INVALID',
      `A user can hold ${maxLongLivedKeys} API keys without an end. Delete one first.`,
    )
  return ids
}

/**
 * `delete_api_keys`: a user permanently removes their own API keys (custody protocol § 2.7). Ending sessions is always
 * allowed, since it only removes access. Removing a key without expiry needs step-up and is refused for the last
 * sign-in method.
 */
export const deleteApiKeys = defineActivity({
  types: { ACTIVITY_TYPE_DELETE_API_KEYS: { intent: 'deleteApiKeysIntent', result: 'deleteApiKeysResult' } },
  parameters: z.strictObject({ userId: idSchema, apiKeyIds: z.array(idSchema).min(1).max(20) }),
  authorize: assertOwnSubOrganization,
  quorum: false,
  async confirmation(_context, { db, caller, parameters: { apiKeyIds: ids } }) {
    const keys = await findOwnCredentials(db, { ...caller, kind: 'api_key', ids })
    // Ending sessions, or the key that made the stamp, affects no other keys.
    const others = keys.filter((key) => key.expires_at === null && key.id !== caller.credentialId)
    return others.length === 0
      ? undefined
      : { action: 'remove-credential', detail: others.map(({ name }) => name).join(', ') }
  },
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const { userId, apiKeyIds: ids } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const keys = await findOwnCredentials(db, { orgId, userId, kind: 'api_key', ids })
    const isLogOut = keys.every((key) => key.expires_at !== null)
    if (!isLogOut) assertStepUp(context, caller)
    await revokeCredentials(context, db, { orgId, userId, ids })
    if (isLogOut) return { apiKeyIds: ids }
    await assertSignInRemains(db, { orgId, userId })
    await enqueueNotice(context, db, { kind: 'credential-removed', organizationId: orgId, userId, activityId })
    return { apiKeyIds: ids }
  },
})
