import { randomBytes, randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { addAccounts, type NewAccount, type Sealer } from './accounts.ts'
import { assertCapacity } from './assertCapacity.ts'
import { sealSecret, withSecret } from './sealSecret.ts'

const version = 1

export declare namespace generateWallet {
  type Parameters = {
    orgId: string
    name: string
    accounts: readonly NewAccount[]
    /** @default 12 */
    wordCount?: 12 | 15 | 18 | 21 | 24 | undefined
  }
}

/** Creates a wallet with its accounts from random entropy, which is stored only in sealed form. */
export async function generateWallet(
  db: Db,
  context: Sealer,
  { wordCount = 12, ...wallet }: generateWallet.Parameters,
): Promise<storeWallet.ReturnType> {
  const entropy = randomBytes((wordCount * 4) / 3)
  try {
    return await storeWallet(db, context, { ...wallet, entropy, imported: false })
  } finally {
    entropy.fill(0)
  }
}

export declare namespace storeWallet {
  type Parameters = {
    orgId: string
    name: string
    accounts: readonly NewAccount[]
    /** 16 to 32 bytes. */
    entropy: Uint8Array
    imported: boolean
    /** See `addAccounts`. */
    createdAt?: Date | undefined
  }
  /** `addresses`: in the order of the accounts. */
  type ReturnType = { walletId: string; addresses: Address[] }
}

/** Stores a wallet with the given entropy, which the caller wipes. */
export async function storeWallet(
  db: Db,
  context: Sealer,
  parameters: storeWallet.Parameters,
): Promise<storeWallet.ReturnType> {
  const { orgId, name, accounts, entropy, imported, createdAt } = parameters
  await assertCapacity(db, { table: 'wallets', orgId })
  const walletId = randomUUID()
  const identity = { table: 'wallets', orgId, id: walletId, version } as const
  const { sealed, wrappedKey } = await sealSecret(context.keyEncryption, identity, entropy)
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
  return { walletId, addresses: await addAccounts(db, context, { orgId, walletId, entropy, accounts, createdAt }) }
}

/**
 * Opens the entropy of one of an organization's wallets, passes it to `use` and wipes it.
 *
 * @throws `NOT_FOUND`.
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
