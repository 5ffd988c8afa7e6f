import type { ExportWalletAccountResult } from 'latchkey/wire'
import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { addressSchema, uncompressedKeySchema } from '../schemas.ts'
import { withAccountKey } from '../wallets/withSigningKey.ts'
import { exportSecret } from './exportSecret.ts'

const parametersSchema = z.strictObject({ address: addressSchema, targetPublicKey: uncompressedKeySchema })

type Parameters = z.output<typeof parametersSchema>

/**
 * `export_wallet_account`: the private key of one address, sealed to an export frame, for a user of the organization
 * alone (custody protocol § 2.6, § 4.4).
 */
export const exportWalletAccount = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: {
      intent: 'exportWalletAccountIntent',
      result: 'exportWalletAccountResult',
    },
  },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  execute(context, { db, organization, parameters }) {
    const { address, targetPublicKey } = parameters
    const account = { orgId: organization.id, address }
    return withAccountKey(db, context.keyEncryption, account, async (plaintext, { walletId, ...found }) => {
      const request = {
        organizationId: organization.id,
        from: { table: 'wallets', id: walletId },
        targetPublicKey,
        plaintext,
      } as const
      const bundle = await exportSecret(context, db, request)
      return { address: found.address, exportBundle: bundle } satisfies ExportWalletAccountResult
    })
  },
})
