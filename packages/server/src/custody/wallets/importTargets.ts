import { randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { ImportTargetTable } from '../../platform/database/tables.ts'
import { hpkeOpen } from '../bundles/hpke.ts'
import { custodyError } from '../custodyError.ts'
import { importTargetMs, maxImportTargets } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { sealSecret, withSecret } from './sealSecret.ts'

const version = 1

type Owner = { orgId: string; userId: string; kind: Selectable<ImportTargetTable>['kind'] }

/**
 * Creates a key to which a user may seal one secret within an hour, and returns its public half: 65 bytes,
 * uncompressed. Deletes all but four older targets of the user.
 */
export async function createImportTarget(context: CustodyContext, db: Db, owner: Owner): Promise<Uint8Array> {
  const { orgId, userId, kind } = owner
  const now = new Date(context.now())
  const older = await selectTargets(db, owner)
  const surplus = [...older.slice(maxImportTargets - 1), ...older.filter((row) => row.expires_at <= now)].map(
    ({ id }) => id,
  )
  if (surplus.length > 0) await db.deleteFrom('import_targets').where('id', 'in', surplus).execute()
  const id = randomUUID()
  const privateKey = p256.utils.randomSecretKey()
  try {
    const identity = { table: 'import_targets', orgId, id, version } as const
    const { sealed, wrappedKey } = await sealSecret(context.keyEncryption, identity, privateKey)
    const expires_at = new Date(now.getTime() + importTargetMs)
    const row = { id, org_id: orgId, user_id: userId, kind, key_version: version, expires_at, created_at: now }
    await db
      .insertInto('import_targets')
      .values({ ...row, sealed_key: sealed, wrapped_key: wrappedKey })
      .execute()
    return p256.getPublicKey(privateKey, false)
  } finally {
    privateKey.fill(0)
  }
}

/**
 * Opens a secret that a user sealed to one of their targets, passes it to `use` and wipes it. The target is deleted in
 * the transaction of `use`, so it opens only one secret.
 * @throws `REQUEST_INVALID` if no valid target of the user opens it.
 */
export async function withImportedSecret<result>(
  context: CustodyContext,
  db: Db,
  { enc, ciphertext, ...owner }: Owner & { enc: Uint8Array; ciphertext: Uint8Array },
  use: (secret: Uint8Array) => Promise<result>,
): Promise<result> {
  const now = new Date(context.now())
  for (const row of await selectTargets(db, owner)) {
    if (row.expires_at <= now) continue
    const identity = { table: 'import_targets', orgId: owner.orgId, id: row.id, version: row.key_version } as const
    const sealed = { sealed: row.sealed_key, wrappedKey: row.wrapped_key }
    const secret = await withSecret(context.keyEncryption, identity, sealed, (privateKey) =>
      hpkeOpen({ enc, ciphertext, privateKey }),
    )
    if (!secret) continue
    try {
      await db.deleteFrom('import_targets').where('id', '=', row.id).where('org_id', '=', owner.orgId).execute()
      return await use(secret)
    } finally {
      secret.fill(0)
    }
  }
  throw custodyError(
    'REQUEST_INVALID',
    'The encrypted bundle was not sealed to a key that waits for it: that key is used up or an hour old. Begin again.',
  )
}

/**
 * Selects targets, newest first, and locks them until the transaction ends. The second of two concurrent imports then
 * finds no target.
 */
function selectTargets(db: Db, { orgId, userId, kind }: Owner): Promise<Selectable<ImportTargetTable>[]> {
  return db
    .selectFrom('import_targets')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .forUpdate()
    .execute()
}
