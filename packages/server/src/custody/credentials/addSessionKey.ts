import { p256 } from '@noble/curves/nist.js'
import type { Db } from '../../platform/database/openStore.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { maxExpiringKeys, sessionSeconds, votingMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { addApiKey } from './addApiKey.ts'
import { revokeCredentials } from './revokeCredentials.ts'

export declare namespace addSessionKey {
  type Parameters = Omit<addApiKey.Parameters, 'expiresAt'> & {
    /** @default 900 */
    expirationSeconds?: number | undefined
    /** Whether to end every other session of the user. */
    invalidateExisting?: boolean | undefined
    /**
     * Whether the key is sent by e-mail. Until `openLink`, such a key does not count as a session and does not end
     * other sessions.
     * @default false
     */
    isMailed?: boolean | undefined
  }
  type ReturnType = { apiKeyId: string; expiresAt: Date }
}

/**
 * Adds an expiring API key to a user: its lifetime is clamped, and at most ten are valid at a time (custody protocol §
 * 2.7). Returns the credential's id and its expiry.
 *
 * @throws `CREDENTIAL_CONFLICT`.
 */
export async function addSessionKey(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addSessionKey.Parameters,
): Promise<addSessionKey.ReturnType> {
  const { expirationSeconds, invalidateExisting, isMailed = false, ...key } = parameters
  const expiresAt = new Date(context.now() + clampSessionSeconds(expirationSeconds) * 1000)
  if (!isMailed || invalidateExisting)
    await dropOldestKeys(context, db, { orgId: key.orgId, userId: key.userId, all: invalidateExisting })
  return { apiKeyId: await addApiKey(context, db, { ...key, expiresAt }), expiresAt }
}

/**
 * Returns the lifetime of a session key: 15 minutes by default, at least a minute and at most a day. Old clients send
 * milliseconds, which are clamped like any other large number.
 */
export function clampSessionSeconds(seconds: number = sessionSeconds.usual): number {
  return Math.min(Math.max(seconds, sessionSeconds.min), sessionSeconds.max)
}

export declare namespace dropOldestKeys {
  type Parameters = { orgId: string; userId: string; all?: boolean | undefined; except?: string | undefined }
}

/**
 * Revokes a user's oldest expiring keys until one more fits, and deletes expired ones (custody protocol § 2.7). Skips
 * unopened links, and the keys of activities that wait for votes or a confirmation. Locks the user's row, so that
 * concurrent sign-ins run in sequence. `all`: ends every session and every unopened link. `except`: the new key.
 */
export async function dropOldestKeys(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, userId, all = false, except }: dropOldestKeys.Parameters,
): Promise<void> {
  const now = new Date(context.now())
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  // The MAC covers the expiry, so restoring a deleted row has no effect.
  await db
    .deleteFrom('credentials')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('expires_at', '<=', now)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('activities')
            .select('activities.id')
            .whereRef('activities.org_id', '=', 'credentials.org_id')
            .whereRef('activities.credential_id', '=', 'credentials.id')
            .where('activities.status', 'in', ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_PENDING'])
            .where('activities.created_at', '>=', new Date(now.getTime() - votingMs)),
        ),
      ),
    )
    .execute()
  const live = await db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'api_key')
    .where('expires_at', '>', now)
    .where('revoked_at', 'is', null)
    .$if(except !== undefined, (query) => query.where('id', '!=', except ?? ''))
    .$if(!all, (query) =>
      query.where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('mail_codes')
              .select('mail_codes.id')
              .whereRef('mail_codes.org_id', '=', 'credentials.org_id')
              .whereRef('mail_codes.credential_id', '=', 'credentials.id')
              .where('mail_codes.spent_at', 'is', null),
          ),
        ),
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const surplus = live.slice(all ? 0 : maxExpiringKeys - 1).map((key) => key.id)
  await revokeCredentials(context, db, { orgId, userId, ids: surplus })
}

export declare namespace addSealedSession {
  type Parameters = Omit<addSessionKey.Parameters, 'publicKey'> & {
    /** Key of the frame that opens the bundle: uncompressed P-256 point, hex. */
    targetPublicKey: string
  }
  type ReturnType = addSessionKey.ReturnType & { credentialBundle: string }
}

/**
 * Adds a new session key to a user and seals its private half to a frame's key. Custody stores only the public half
 * (custody protocol § 4.3).
 *
 * @throws `CREDENTIAL_CONFLICT`.
 */
export async function addSealedSession(
  context: CustodyContext,
  db: Db,
  { targetPublicKey, ...session }: addSealedSession.Parameters,
): Promise<addSealedSession.ReturnType> {
  const privateKey = p256.utils.randomSecretKey()
  try {
    const publicKey = Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex')
    const added = await addSessionKey(context, db, { ...session, publicKey })
    const target = Buffer.from(targetPublicKey, 'hex')
    return { ...added, credentialBundle: await credentialBundle({ targetPublicKey: target, privateKey }) }
  } finally {
    privateKey.fill(0)
  }
}
