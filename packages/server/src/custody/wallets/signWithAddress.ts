import { sql } from 'kysely'
import type { SignRawPayloadResult } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { deriveKey } from './deriveKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'
import { signDigest } from './signDigest.ts'
import { openEntropy } from './walletEntropy.ts'

/**
 * Signs a digest with the key of one of an organization's addresses. Entropy and key exist in memory for this call
 * only and are wiped.
 *
 * @throws ServerError `NOT_FOUND` (404) when the organization has no such address | `INTERNAL`
 */
export async function signWithAddress(
  db: Db,
  keyEncryption: KeyEncryption,
  parameters: signWithAddress.Parameters,
): Promise<SignRawPayloadResult> {
  const { orgId, address, digest } = parameters
  const account = await db
    .selectFrom('wallet_accounts')
    .innerJoin('wallets', 'wallets.id', 'wallet_accounts.wallet_id')
    .select(['wallets.id', 'path', 'address', 'sealed_entropy', 'wrapped_key', 'key_version'])
    .where('wallet_accounts.org_id', '=', orgId)
    .where('wallets.org_id', '=', orgId)
    .where(sql<string>`lower(address)`, '=', address.toLowerCase())
    .executeTakeFirst()
  if (!account)
    throw custodyError('NOT_FOUND', 'No wallet of this organization has the address in signWith. Check the address.')
  const identity = { orgId, walletId: account.id, version: account.key_version }
  const sealed = { sealedEntropy: account.sealed_entropy, wrappedKey: account.wrapped_key }
  const entropy = await openEntropy(keyEncryption, identity, sealed)
  try {
    const key = await deriveKey(entropy, account.path)
    try {
      // The address column is not sealed: never sign with a key that is not the one asked for.
      if (ethereumAddress(key).address !== account.address) throw changedAddress()
      return signDigest(digest, key)
    } finally {
      key.fill(0)
    }
  } finally {
    entropy.fill(0)
  }
}

export declare namespace signWithAddress {
  type Parameters = { orgId: string; address: string; digest: Uint8Array }
}

function changedAddress(): ServerError {
  return new ServerError('The stored address does not belong to its wallet. Nothing was signed.', {
    code: 'INTERNAL',
    status: 500,
  })
}
