import { z } from 'zod'
import { accountsSchema, idSchema, walletSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { assertOwnOrganization } from '../../permissions.ts'
import { addAccounts } from '../../wallets/accounts.ts'
import { generateWallet, withEntropy } from '../../wallets/wallet.ts'

/** `create_wallet`: creates a seed phrase with its first accounts (custody protocol § 2.7). */
export const createWallet = defineActivity({
  types: { ACTIVITY_TYPE_CREATE_WALLET: { intent: 'createWalletIntent', result: 'createWalletResult' } },
  parameters: walletSchema,
  authorize: assertOwnOrganization,
  async execute(context, { db, organization, parameters }) {
    const { walletName: name, accounts, mnemonicLength: wordCount } = parameters
    return generateWallet(db, context, { orgId: organization.id, name, accounts, wordCount })
  },
})

/** `create_wallet_accounts`: adds accounts to a wallet (custody protocol § 2.7). */
export const createWalletAccounts = defineActivity({
  types: {
    ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: {
      intent: 'createWalletAccountsIntent',
      result: 'createWalletAccountsResult',
    },
  },
  parameters: z.strictObject({
    walletId: idSchema,
    accounts: accountsSchema.min(1),
    // An account that is not stored cannot sign.
    persist: z.literal(true, 'must be true or left out').optional(),
  }),
  authorize: assertOwnOrganization,
  async execute(context, { db, organization, parameters }) {
    const { walletId, accounts } = parameters
    const orgId = organization.id
    const addresses = await withEntropy(db, context.keyEncryption, { orgId, walletId }, (entropy) =>
      addAccounts(db, context, { orgId, walletId, entropy, accounts }),
    )
    return { addresses }
  },
})
