import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { deriveKey } from './deriveKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'

/** An Ethereum account to be: its BIP-32 path. */
export type NewAccount = { path: string; name?: string | undefined }

/**
 * Derives accounts of a wallet, keeps them and answers their addresses in the same order.
 *
 * @throws ServerError `REQUEST_INVALID` (400) when the organization holds one of them already
 */
export async function addAccounts(db: Db, parameters: addAccounts.Parameters): Promise<Address[]> {
  const { orgId, walletId, entropy, accounts } = parameters
  const rows = []
  for (const { path, name = null } of accounts) {
    const key = await deriveKey(entropy, path)
    const { address, publicKey } = ethereumAddress(key)
    key.fill(0)
    rows.push({ id: randomUUID(), wallet_id: walletId, org_id: orgId, path, name, address, public_key: publicKey })
  }
  if (rows.length === 0) return []
  const inserted = await db
    .insertInto('wallet_accounts')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  if (inserted.length < rows.length)
    throw custodyError('REQUEST_INVALID', 'This organization has an account with one of these addresses already.')
  return rows.map((row) => row.address)
}

export declare namespace addAccounts {
  type Parameters = {
    orgId: string
    walletId: string
    /** Of the wallet; the caller wipes it. */
    entropy: Uint8Array
    accounts: readonly NewAccount[]
  }
}
