import { z } from 'zod'
import { maxListedRows } from '../../custodyLimits.ts'
import { defineQuery } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { isTrusted } from '../../macs.ts'
import { assertReader } from '../../permissions.ts'
import { toTimestamp } from '../../toTimestamp.ts'

/**
 * `list_private_keys`: returns the private keys of an organization that belong to no wallet (custody protocol § 2.7).
 */
export const listPrivateKeys = defineQuery({
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run(context, { organization }) {
    return { privateKeys: await readPrivateKeys(context, organization.id) }
  },
})

/** Returns an organization's private keys, which were all imported, oldest first. Logs and skips forged rows. */
export async function readPrivateKeys(context: CustodyContext, orgId: string) {
  const rows = await context.db
    .selectFrom('private_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxListedRows)
    .execute()
  const genuine = rows.filter((row) => isTrusted(context, 'private_keys', row))
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
