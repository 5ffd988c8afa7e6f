import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { Db } from '../../store/openStore.ts'
import { addAccounts, type NewAccount, type Sealer } from './addAccounts.ts'
import { sealSecret } from './sealSecret.ts'

const version = 1

/** Keeps a wallet of given entropy, which the caller wipes. */
export async function storeWallet(
  db: Db,
  context: Sealer,
  parameters: storeWallet.Parameters,
): Promise<storeWallet.ReturnType> {
  const { orgId, name, accounts, entropy, imported } = parameters
  const walletId = randomUUID()
  const { sealed, wrappedKey } = await sealSecret(
    context.keyEncryption,
    { table: 'wallets', orgId, id: walletId, version },
    entropy,
  )
  await db
    .insertInto('wallets')
    .values({
      id: walletId,
      org_id: orgId,
      name,
      sealed_entropy: sealed,
      wrapped_key: wrappedKey,
      key_version: version,
      imported,
    })
    .execute()
  return { walletId, addresses: await addAccounts(db, context, { orgId, walletId, entropy, accounts }) }
}

export declare namespace storeWallet {
  type Parameters = {
    orgId: string
    name: string
    accounts: readonly NewAccount[]
    /** 16 to 32 bytes. */
    entropy: Uint8Array
    imported: boolean
  }
  /** `addresses`: in the order of the accounts. */
  type ReturnType = { walletId: string; addresses: Address[] }
}
