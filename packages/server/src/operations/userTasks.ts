import { type Selectable, sql } from 'kysely'
import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import type { ServerOptions } from '../app/options.ts'
import { toConfirmationUrl } from '../app/toConfirmationUrl.ts'
import { deletionGraceMs } from '../custody/custodyLimits.ts'
import { readMacKey } from '../custody/macKey.ts'
import { deleteAsOperator } from '../custody/organizations/deletion.ts'
import { readProjects } from '../custody/organizations/trustedProjects.ts'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { type Db, openStore } from '../platform/database/openStore.ts'
import type { ActivityTable } from '../platform/database/tables.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { toStoredEmail } from '../platform/http/emails.ts'
import type { Logger } from '../platform/observability/logger.ts'

const timeoutMs = 120_000
/** Maximum entries of each list; the rest are only counted. */
const maxListed = 10_000

/** Identifies a user by e-mail address or organization id. */
export type UserQuery = { email?: string | undefined; organizationId?: string | undefined }

/** Stored data of a user, without keys, secrets and other users' data. */
export type UserExport = {
  organization: object
  users: object[]
  credentials: object[]
  wallets: object[]
  activities: object[]
  mails: object[]
  operations: object[]
}

/**
 * Returns a snapshot of all stored data of a user, for a user's request under a law such as GDPR, article 15. Never
 * reads keys or their wrapped data keys.
 *
 * @throws `NOT_FOUND`, `ARGUMENT_INVALID` if an address is in several organizations, `DATABASE_UNREACHABLE`.
 */
export async function exportUser({ databaseUrl }: { databaseUrl: string }, query: UserQuery): Promise<UserExport> {
  const store = await openStore({ databaseUrl, maxConnections: 1, timeoutMs })
  try {
    const snapshot = store.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return await snapshot.execute(async (db) => readUser(db, await findOrganization(db, query)))
  } finally {
    await store.close()
  }
}

export async function findOrganization(db: Db, { email, organizationId }: UserQuery): Promise<string> {
  const users = await db
    .selectFrom('users')
    .select('org_id')
    .where('parent_org_id', 'is not', null)
    .$if(email !== undefined, (rows) => rows.where(sql`lower(email)`, '=', toStoredEmail(email ?? '').toLowerCase()))
    .$if(organizationId !== undefined, (rows) => rows.where('org_id', '=', organizationId ?? ''))
    .distinct()
    .limit(100)
    .execute()
  const [first, ...others] = users.map(({ org_id }) => org_id)
  if (!first) throw new ServerError('No user has this address or organization.', { code: 'NOT_FOUND', status: 404 })
  if (others.length > 0)
    throw new ServerError(`The address is in several organizations. Take one: ${[first, ...others].join(', ')}.`, {
      code: 'ARGUMENT_INVALID',
      status: 400,
    })
  return first
}

async function readUser(db: Db, orgId: string): Promise<UserExport> {
  const organization = await db
    .selectFrom('organizations')
    .select(['id', 'parent_id', 'name', 'created_at', 'deleted_at', 'destroyed_at'])
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow()
  const users = await db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'email_verified_at', 'email_claimed', 'created_at'])
    .where('org_id', '=', orgId)
    .execute()
  const credentials = await db
    .selectFrom('credentials')
    .select(['id', 'kind', 'name', 'public_key', 'rp_id', 'email_session', 'created_at'])
    .select(['last_used_at', 'expires_at', 'revoked_at'])
    .where('org_id', '=', orgId)
    .limit(maxListed)
    .execute()
  const wallets = await db
    .selectFrom('wallet_accounts')
    .innerJoin('wallets', 'wallets.id', 'wallet_accounts.wallet_id')
    .select(['wallets.name', 'wallets.created_at', 'wallets.exported_at', 'wallets.imported'])
    .select(['wallet_accounts.path', 'wallet_accounts.address', 'wallet_accounts.public_key'])
    .where('wallet_accounts.org_id', '=', orgId)
    .limit(maxListed)
    .execute()
  const activities = await db
    .selectFrom('activities')
    .select(['id', 'type', 'status', 'created_at', 'intent'])
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .limit(maxListed)
    .execute()
  const mails = await db
    .selectFrom('mail_outbox')
    .select(['template', 'recipient', 'state', 'created_at'])
    .where('org_id', '=', orgId)
    .execute()
  const operations = await readOperations(
    db,
    wallets.map(({ address }) => address),
  )
  return { organization, users, credentials, wallets, activities: activities.map(toShown), mails, operations }
}

/** Includes public keys and addresses. Omits imports and mails, which are sealed and thus useless to a reader. */
const toShown = ({
  intent,
  ...activity
}: Pick<Selectable<ActivityTable>, 'id' | 'type' | 'status' | 'created_at' | 'intent'>) => ({
  ...activity,
  intent: JSON.parse(
    JSON.stringify(intent, (key, value) => (/bundle|secret|encrypted/i.test(key) ? undefined : value)),
  ),
})

/**
 * Reads operations of smart accounts that the wallet API created for these owners. The database does not list other
 * accounts.
 */
async function readOperations(db: Db, owners: readonly string[]) {
  if (owners.length === 0) return []
  const signers = owners.flatMap((owner) => [owner, owner.toLowerCase()])
  const accounts = await db.selectFrom('smart_accounts').select('address').where('signer', 'in', signers).execute()
  if (accounts.length === 0) return []
  const senders = accounts.flatMap(({ address }) => [address, address.toLowerCase()])
  return db
    .selectFrom('operations')
    .select(['user_op_hash', 'chain_id', 'sender', 'policy_id', 'state', 'transaction_hash', 'success', 'created_at'])
    .where('sender', 'in', senders)
    .limit(maxListed)
    .execute()
}

/**
 * Starts the deletion of a user's account on the user's behalf, on a running server. Grace period, mails and undo are
 * the same as if the user had requested the deletion.
 *
 * @throws `CONFIG_INVALID`, `ORGANIZATION_NOT_FOUND`, `STATE_CONFLICT`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`.
 */
export async function deleteUser(
  { databaseUrl, server, logger }: { databaseUrl: string; server: ServerOptions; logger: Logger },
  organizationId: string,
): Promise<{ keysDestroyedAt: Date }> {
  const { custody } = server
  if (!custody) throw new ServerError("This needs custody's settings.", { code: 'CONFIG_INVALID', status: 500 })
  const store = await openStore({ databaseUrl, maxConnections: 2, timeoutMs })
  try {
    const context = {
      db: store.db,
      logger,
      macKey: await readMacKey(store.db, custodyKeyEncryption(custody)),
      mailSealKey: parseKey(custody.mailSealKey, 'custody.mailSealKey'),
      projects: readProjects(server.projects),
      rootOrganizationId: server.rootOrganizationId.toLowerCase(),
      confirmationUrl: toConfirmationUrl(server.urls.authFrame),
      deletionGraceMs: custody.deletionGraceMs ?? deletionGraceMs,
      now: Date.now,
    }
    return { keysDestroyedAt: await deleteAsOperator(context, organizationId) }
  } finally {
    await store.close()
  }
}
