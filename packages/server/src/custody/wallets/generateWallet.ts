import { randomBytes } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import type { NewAccount, Sealer } from './addAccounts.ts'
import { storeWallet } from './storeWallet.ts'

/** Makes a wallet of random entropy with its accounts. The entropy leaves memory sealed only. */
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

export declare namespace generateWallet {
  type Parameters = {
    orgId: string
    name: string
    accounts: readonly NewAccount[]
    /** @default 12 */
    wordCount?: 12 | 15 | 18 | 21 | 24 | undefined
  }
}
