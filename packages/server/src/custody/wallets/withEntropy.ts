import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { withSecret } from './sealSecret.ts'

/**
 * Opens the entropy of one of an organization's wallets, hands it to `use` and wipes it.
 *
 * @throws ServerError `NOT_FOUND` (404)
 */
export async function withEntropy<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, walletId }: { orgId: string; walletId: string },
  use: (entropy: Uint8Array) => Promise<result> | result,
): Promise<result> {
  const row = await db
    .selectFrom('wallets')
    .select(['sealed_entropy as sealed', 'wrapped_key as wrappedKey', 'key_version as version'])
    .where('id', '=', walletId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', `Could not find wallet with id ${walletId}`)
  return withSecret(keyEncryption, { table: 'wallets', orgId, id: walletId, version: row.version }, row, use)
}
