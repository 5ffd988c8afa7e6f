import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { mac } from '../macs.ts'
import { sealAccountKey } from './accountKey.ts'
import { deriveKey } from './deriveKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'

/** What seals a wallet's secrets and vouches for its addresses. */
export type Sealer = Pick<CustodyContext, 'keyEncryption' | 'macKey'>

/** An Ethereum account to be: its BIP-32 path. */
export type NewAccount = { path: string; name?: string | undefined }

/**
 * Derives accounts of a wallet, keeps them and answers their addresses in the same order.
 *
 * @throws ServerError `REQUEST_INVALID` (400) when the organization holds one of them already
 */
export async function addAccounts(db: Db, context: Sealer, parameters: addAccounts.Parameters): Promise<Address[]> {
  const { orgId, walletId, entropy, accounts } = parameters
  const rows = []
  for (const { path, name = null } of accounts) {
    const account = { id: randomUUID(), wallet_id: walletId, org_id: orgId, path, name }
    const row = { ...account, ...(await sealAccount(context.keyEncryption, account, entropy)) }
    rows.push({ ...row, mac: mac(context.macKey, 'wallet_accounts', row) })
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

async function sealAccount(
  keyEncryption: KeyEncryption,
  account: { id: string; org_id: string; path: string },
  entropy: Uint8Array,
) {
  const key = await deriveKey(entropy, account.path)
  try {
    const { address, publicKey } = ethereumAddress(key)
    const sealed = await sealAccountKey(keyEncryption, { orgId: account.org_id, id: account.id, address }, key)
    return { address, public_key: publicKey, ...sealed }
  } finally {
    key.fill(0)
  }
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
