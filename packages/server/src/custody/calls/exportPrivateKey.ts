import { z } from 'zod'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization } from '../permissions.ts'
import { idSchema, uncompressedKeySchema } from '../schemas.ts'
import { withPrivateKey } from '../wallets/withSigningKey.ts'
import { exportSecret } from './exportSecret.ts'

const parametersSchema = z.strictObject({ privateKeyId: idSchema, targetPublicKey: uncompressedKeySchema })

type Parameters = z.output<typeof parametersSchema>

/**
 * `export_private_key`: a key that was imported by itself, sealed to an export frame, for a user of the organization
 * alone (custody protocol §§ 2.7, 4.4).
 */
export const exportPrivateKey = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: { intent: 'exportPrivateKeyIntent', result: 'exportPrivateKeyResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  async execute(context, { db, organization, parameters }) {
    const { privateKeyId, targetPublicKey } = parameters
    const organizationId = organization.id
    const from = { table: 'private_keys', id: privateKeyId } as const
    const key = { orgId: organizationId, privateKeyId }
    const exportBundle = await withPrivateKey(db, context.keyEncryption, key, (plaintext) =>
      exportSecret(context, db, { organizationId, from, targetPublicKey, plaintext }),
    )
    return { privateKeyId, exportBundle }
  },
})
