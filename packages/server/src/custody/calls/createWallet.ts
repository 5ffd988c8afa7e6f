import type { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { walletSchema } from '../schemas.ts'
import { generateWallet } from '../wallets/generateWallet.ts'

type Parameters = z.output<typeof walletSchema>

/** `create_wallet`: a new seed phrase with its first accounts, for a user of the organization alone (§ 2.7). */
export const createWallet = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_CREATE_WALLET: { intent: 'createWalletIntent', result: 'createWalletResult' } },
  parameters: walletSchema,
  authorize: assertOwnOrganization,
  async execute(context, { db, organization, parameters }) {
    const { walletName: name, accounts, mnemonicLength: wordCount } = parameters
    return generateWallet(db, context, { orgId: organization.id, name, accounts, wordCount })
  },
})
