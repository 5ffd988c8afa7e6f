import { toTimestamp } from '../activities/toTimestamp.ts'
import type { CustodyContext } from '../deps.ts'

/** The private keys of an organization that were imported by themselves, oldest first (custody protocol § 2.7). */
export async function readPrivateKeys({ db }: CustodyContext, orgId: string) {
  const rows = await db
    .selectFrom('private_keys')
    .select(['id', 'name', 'address', 'public_key', 'created_at', 'exported_at'])
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
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
