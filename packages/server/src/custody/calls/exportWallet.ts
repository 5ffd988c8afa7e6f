import type { ExportWalletResult } from 'latchkey/wire'
import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { uncompressedKeySchema } from '../schemas.ts'
import { mnemonicBytes } from '../wallets/mnemonicSeed.ts'
import { withEntropy } from '../wallets/withEntropy.ts'
import { exportSecret } from './exportSecret.ts'

const parametersSchema = z.strictObject({
  walletId: z.uuid(),
  targetPublicKey: uncompressedKeySchema,
  language: z.literal('MNEMONIC_LANGUAGE_ENGLISH').optional(),
})

type Parameters = z.output<typeof parametersSchema>

/** `export_wallet`: the seed phrase, sealed to an export frame, for a user of the organization alone (§ 2.6, § 4.4). */
export const exportWallet = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_EXPORT_WALLET: { intent: 'exportWalletIntent', result: 'exportWalletResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  async execute(context, { db, organization, parameters }) {
    const walletId = parameters.walletId.toLowerCase()
    const { targetPublicKey } = parameters
    const wallet = { orgId: organization.id, walletId }
    const bundle = await withEntropy(db, context.keyEncryption, wallet, async (entropy) => {
      const plaintext = mnemonicBytes(entropy)
      try {
        return await exportSecret(context, db, {
          organizationId: organization.id,
          from: { table: 'wallets', id: walletId },
          targetPublicKey,
          plaintext,
        })
      } finally {
        plaintext.fill(0)
      }
    })
    return { walletId, exportBundle: bundle } satisfies ExportWalletResult
  },
})
