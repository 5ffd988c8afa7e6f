import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { exportBundle } from '../bundles/exportBundle.ts'
import type { CustodyContext } from '../deps.ts'

export declare namespace exportSecret {
  type Parameters = {
    organizationId: string
    walletId: string
    /** Uncompressed P-256 point, hex. */
    targetPublicKey: string
    plaintext: Uint8Array
  }
}

/**
 * Seals a secret of a wallet to an export frame, and marks the wallet as exported: from now on its user may hold what
 * controls it.
 *
 * @throws ServerError `CONFIG_INVALID` (500) when the server has no key to sign bundles with
 */
export async function exportSecret(
  context: CustodyContext,
  db: Db,
  { organizationId, walletId, targetPublicKey, plaintext }: exportSecret.Parameters,
): Promise<string> {
  if (!context.bundleSigningKey)
    throw new ServerError('This server cannot export: custody.bundleSigningKey is not set.', {
      code: 'CONFIG_INVALID',
      status: 500,
    })
  await db
    .updateTable('wallets')
    .set({ exported_at: new Date(context.now()) })
    .where('id', '=', walletId)
    .where('org_id', '=', organizationId)
    .execute()
  return exportBundle({
    organizationId,
    targetPublicKey: Buffer.from(targetPublicKey, 'hex'),
    plaintext,
    signingKey: context.bundleSigningKey,
  })
}
