import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { compressedKeySchema } from '../calls/schemas.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import type { CustodyDeps } from '../deps.ts'

const rootName = 'root'
const macKeyName = 'credential-mac'
/** Names this lock among the database's advisory locks. */
const startLock = 4_107_338

/**
 * Makes sure that the parent organization, its API user and custody's own secrets exist, and that the configured root
 * API key is the only one of the parent: changing the configuration rotates it. Copies that start together take turns.
 * Answers the key that authenticates credentials.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export async function ensureRoot(deps: CustodyDeps): Promise<Uint8Array> {
  if (!z.uuid().safeParse(deps.rootOrganizationId).success) throw misconfigured('The root organization id', 'a UUID')
  if (!compressedKeySchema.safeParse(deps.rootApiPublicKey).success)
    throw misconfigured('The root API public key', 'a compressed P-256 point in hex (66 digits)')
  return deps.db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(${startLock})`.execute(db)
    const macKey = await ensureMacKey(db, deps)
    const orgId = deps.rootOrganizationId
    await db
      .insertInto('organizations')
      .values({ id: orgId, parent_id: null, name: rootName })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const publicKey = deps.rootApiPublicKey.toLowerCase()
    const userId = await ensureRootUser(db, orgId)
    await db.deleteFrom('credentials').where('org_id', '=', orgId).where('public_key', '!=', publicKey).execute()
    const key = await db.selectFrom('credentials').select('id').where('org_id', '=', orgId).executeTakeFirst()
    if (!key) await addApiKey(db, macKey, { userId, orgId, name: rootName, publicKey })
    return macKey
  })
}

async function ensureRootUser(db: Db, orgId: string): Promise<string> {
  const user = await db.selectFrom('users').select('id').where('org_id', '=', orgId).executeTakeFirst()
  if (user) return user.id
  const id = randomUUID()
  await db.insertInto('users').values({ id, org_id: orgId, name: rootName }).execute()
  return id
}

async function ensureMacKey(db: Db, deps: CustodyDeps): Promise<Uint8Array> {
  const aad = new TextEncoder().encode(macKeyName)
  const row = await db.selectFrom('key_material').select('wrapped').where('name', '=', macKeyName).executeTakeFirst()
  if (row) return deps.keyEncryption.unwrap(row.wrapped, aad)
  const macKey = new Uint8Array(randomBytes(32))
  const wrapped = await deps.keyEncryption.wrap(macKey, aad)
  await db.insertInto('key_material').values({ name: macKeyName, wrapped }).execute()
  return macKey
}

function misconfigured(what: string, form: string): ServerError {
  return new ServerError(`${what} must be ${form}.`, { code: 'CONFIG_INVALID', status: 500 })
}
