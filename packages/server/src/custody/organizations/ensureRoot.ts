import { sql } from 'kysely'
import { z } from 'zod'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid, type ServerError } from '../../platform/errors/ServerError.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import { compressedKeySchema } from '../custodySchemas.ts'
import type { CustodyContext, CustodyDeps } from '../deps.ts'
import { ensureMacKey } from '../macKey.ts'
import { isGenuine, mac } from '../macs.ts'
import { insertUser } from './user.ts'

const rootName = 'root'
/** Id of this lock among the database's advisory locks. */
const startLock = 4_107_338

type Writer = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

/**
 * Creates custody's own secrets and every parent organization with its API user if they are missing. Makes the
 * configured root API key each parent's only key: changing the configuration rotates it. Replicas that start together
 * run in sequence. Returns the key that authenticates rows.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function ensureRoot(deps: CustodyDeps): Promise<Uint8Array> {
  const projects = deps.projects ?? []
  const roots = new Set([deps.rootOrganizationId, ...projects.flatMap(({ organizationId }) => organizationId ?? [])])
  for (const id of roots) if (!z.uuid().safeParse(id).success) throw misconfigured('The root organization id', 'a UUID')
  if (!compressedKeySchema.safeParse(deps.rootApiPublicKey).success)
    throw misconfigured('The root API public key', 'a compressed P-256 point in hex (66 digits)')
  return inTransaction(deps.db, async (db) => {
    // Replicas wait for each other here, which may take longer than a request.
    await sql`set local statement_timeout = '30s'`.execute(db)
    await sql`select pg_advisory_xact_lock(${startLock})`.execute(db)
    const macKey = await ensureMacKey(db, deps.keyEncryption)
    const writer: Writer = { macKey, logger: deps.logger, now: deps.now ?? Date.now }
    for (const orgId of [...roots].sort())
      await ensureRootOrganization(db, writer, { orgId: orgId.toLowerCase(), publicKey: deps.rootApiPublicKey })
    return macKey
  })
}

async function ensureRootOrganization(
  db: Db,
  writer: Writer,
  { orgId, publicKey }: { orgId: string; publicKey: string },
): Promise<void> {
  const open = { deleted_at: null, frozen_at: null, spending_rules: null }
  const covered = { id: orgId, parent_id: null, root_quorum_threshold: 1, ...open }
  const row = { ...covered, mac: mac(writer.macKey, 'organizations', covered) }
  // Does not change a sub-organization with this id, so the start fails.
  const written = await db
    .insertInto('organizations')
    .values({ ...row, name: rootName })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ root_quorum_threshold: row.root_quorum_threshold, deleted_at: row.deleted_at, mac: row.mac })
        .where('organizations.parent_id', 'is', null),
    )
    .returning('id')
    .executeTakeFirst()
  if (!written) throw misconfigured(`The root organization id ${orgId}`, 'of no sub-organization: choose another one')
  await ensureRootKey(db, writer, { orgId, publicKey: publicKey.toLowerCase() })
}

/** Deletes root keys that are not configured or that custody did not write, and adds the configured key. */
async function ensureRootKey(
  db: Db,
  writer: Writer,
  { orgId, publicKey }: { orgId: string; publicKey: string },
): Promise<void> {
  const users = await db.selectFrom('users').selectAll().where('org_id', '=', orgId).execute()
  const user = users.find((row) => isGenuine(writer.macKey, 'users', row))
  const userId = user?.id ?? (await insertUser(writer, db, { orgId, parentOrgId: null, name: rootName }))
  const keys = await db.selectFrom('credentials').selectAll().where('org_id', '=', orgId).execute()
  const isCurrent = (key: (typeof keys)[number]) =>
    key.public_key === publicKey && key.user_id === userId && isGenuine(writer.macKey, 'credentials', key)
  const others = keys.filter((key) => !isCurrent(key)).map((key) => key.id)
  if (others.length > 0) await db.deleteFrom('credentials').where('id', 'in', others).execute()
  if (!keys.some(isCurrent)) await addApiKey(writer, db, { userId, orgId, name: rootName, publicKey })
}

function misconfigured(what: string, form: string): ServerError {
  return configInvalid(`${what} must be ${form}.`)
}
