import { sql } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { deriveKey } from './deriveKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'
import { withEntropy } from './withEntropy.ts'

export type WalletAccount = { walletId: string /** EIP-55. */; address: string }

/**
 * Derives the private key of one of an organization's addresses, hands it to `use` and wipes it. The address is compared
 * without case.
 *
 * @throws ServerError `NOT_FOUND` (404) when the organization has no such address | `INTERNAL`
 */
export async function withAccountKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, address }: { orgId: string; address: string },
  use: (key: Uint8Array, account: WalletAccount) => Promise<result> | result,
): Promise<result> {
  const account = await db
    .selectFrom('wallet_accounts')
    .select(['wallet_id as walletId', 'path', 'address'])
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(address)`, '=', address.toLowerCase())
    .executeTakeFirst()
  if (!account) throw custodyError('NOT_FOUND', `Could not find wallet associated with ${address}`)
  return withEntropy(db, keyEncryption, { orgId, walletId: account.walletId }, async (entropy) => {
    const key = await deriveKey(entropy, account.path)
    try {
      // The address column is not sealed: never use a key that is not the one asked for.
      if (ethereumAddress(key).address !== account.address) throw changedAddress()
      return await use(key, account)
    } finally {
      key.fill(0)
    }
  })
}

function changedAddress(): ServerError {
  return new ServerError('The stored address does not belong to its wallet. Its key was not used.', {
    code: 'INTERNAL',
    status: 500,
  })
}
