import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { accountsSchema, idSchema } from '../schemas.ts'
import { addAccounts } from '../wallets/addAccounts.ts'
import { withEntropy } from '../wallets/withEntropy.ts'

const parametersSchema = z.strictObject({
  walletId: idSchema,
  accounts: accountsSchema.min(1),
  // What is not kept cannot sign, so there would be nothing to do with it.
  persist: z.literal(true, 'must be true or left out').optional(),
})

type Parameters = z.output<typeof parametersSchema>

/** `create_wallet_accounts`: more accounts of a wallet, for a user of the organization alone (custody protocol § 2.7). */
export const createWalletAccounts = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: {
      intent: 'createWalletAccountsIntent',
      result: 'createWalletAccountsResult',
    },
  },
  parameters: parametersSchema,
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
