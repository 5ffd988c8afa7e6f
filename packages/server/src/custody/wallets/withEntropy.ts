import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { openEntropy } from './walletEntropy.ts'

/**
 * Opens the entropy of one of an organization's wallets, hands it to `use` and wipes it.
 *
 * @throws ServerError `NOT_FOUND` (404)
 */
export async function withEntropy<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  wallet: { orgId: string; walletId: string },
  use: (entropy: Uint8Array) => Promise<result>,
): Promise<result> {
  const { orgId, walletId } = wallet
  const row = await db
    .selectFrom('wallets')
    .select(['sealed_entropy', 'wrapped_key', 'key_version'])
    .where('id', '=', walletId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', `Could not find wallet with id ${walletId}`)
  const sealed = { sealedEntropy: row.sealed_entropy, wrappedKey: row.wrapped_key }
  const entropy = await openEntropy(keyEncryption, { orgId, walletId, version: row.key_version }, sealed)
  try {
    return await use(entropy)
  } finally {
    entropy.fill(0)
  }
}
