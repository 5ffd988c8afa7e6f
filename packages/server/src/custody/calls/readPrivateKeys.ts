import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { toTimestamp } from '../toTimestamp.ts'

/**
 * The private keys of an organization that were imported by themselves, oldest first (custody protocol § 2.7). Forged ones
 * are logged.
 */
export async function readPrivateKeys({ db, macKey, logger }: CustodyContext, orgId: string) {
  const rows = await db
    .selectFrom('private_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const genuine = rows.filter((row) => {
    if (isGenuine(macKey, 'private_keys', row)) return true
    logger.error({ privateKeyId: row.id }, 'A private key was not written by custody and is ignored')
    return false
  })
  return genuine.map((row) => ({
    privateKeyId: row.id,
    privateKeyName: row.name,
    publicKey: row.public_key,
    curve: 'CURVE_SECP256K1',
    addresses: [{ format: 'ADDRESS_FORMAT_ETHEREUM', address: row.address }],
    privateKeyTags: [],
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.exported_at ?? row.created_at),
    exported: row.exported_at !== null,
    imported: true,
  }))
}
