import { randomBytes, randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { deriveKey } from './deriveKey.ts'
import { ethereumAddress } from './ethereumAddress.ts'
import { sealEntropy } from './walletEntropy.ts'

const version = 1

/** Makes a wallet of random entropy with its accounts. The entropy leaves memory sealed only. */
export async function createWallet(
  db: Db,
  keyEncryption: KeyEncryption,
  parameters: createWallet.Parameters,
): Promise<createWallet.ReturnType> {
  const { orgId, name, paths, wordCount = 12 } = parameters
  const walletId = randomUUID()
  const entropy = randomBytes((wordCount * 4) / 3)
  try {
    const sealed = await sealEntropy(keyEncryption, { orgId, walletId, version }, entropy)
    const accounts = []
    for (const path of paths) {
      const key = await deriveKey(entropy, path)
      const { address, publicKey } = ethereumAddress(key)
      key.fill(0)
      accounts.push({ id: randomUUID(), wallet_id: walletId, org_id: orgId, path, address, public_key: publicKey })
    }
    await db
      .insertInto('wallets')
      .values({
        id: walletId,
        org_id: orgId,
        name,
        sealed_entropy: sealed.sealedEntropy,
        wrapped_key: sealed.wrappedKey,
        key_version: version,
      })
      .execute()
    if (accounts.length > 0) await db.insertInto('wallet_accounts').values(accounts).execute()
    return { walletId, addresses: accounts.map((account) => account.address) }
  } finally {
    entropy.fill(0)
  }
}

export declare namespace createWallet {
  type Parameters = {
    orgId: string
    name: string
    /** BIP-32 paths of the Ethereum accounts. */
    paths: readonly string[]
    /** @default 12 */
    wordCount?: 12 | 15 | 18 | 21 | 24 | undefined
  }
  type ReturnType = { walletId: string; addresses: Address[] }
}
