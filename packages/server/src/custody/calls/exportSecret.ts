import type { Db } from '../../store/openStore.ts'
import { exportBundle } from '../bundles/signedBundles.ts'
import type { CustodyContext } from '../deps.ts'
import { requireSigningKey } from './requireSigningKey.ts'

export declare namespace exportSecret {
  type Parameters = {
    organizationId: string
    /** Where it is kept: `id` of a row of the table. */
    from: { table: 'wallets' | 'private_keys'; id: string }
    /** Uncompressed P-256 point, hex. */
    targetPublicKey: string
    plaintext: Uint8Array
  }
}

/**
 * Seals a secret to an export frame, and marks the wallet or key as exported: from now on its user may hold what controls
 * it.
 *
 * @throws ServerError `CONFIG_INVALID` (500)
 */
export async function exportSecret(
  context: CustodyContext,
  db: Db,
  { organizationId, from, targetPublicKey, plaintext }: exportSecret.Parameters,
): Promise<string> {
  const signingKey = requireSigningKey(context)
  await db
    .updateTable(from.table)
    .set({ exported_at: new Date(context.now()) })
    .where('id', '=', from.id)
    .where('org_id', '=', organizationId)
    .execute()
  return exportBundle({
    organizationId,
    targetPublicKey: Buffer.from(targetPublicKey, 'hex'),
    plaintext,
    signingKey,
  })
}
