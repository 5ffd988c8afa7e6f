import { z } from 'zod'
import { importBundle } from '../bundles/signedBundles.ts'
import { type ActivityDefinition, defineActivity } from '../definitions.ts'
import { assertOwnOrganization, assertSelf } from '../permissions.ts'
import { idSchema } from '../schemas.ts'
import { createImportTarget } from '../wallets/importTargets.ts'
import { requireSigningKey } from './requireSigningKey.ts'

const parametersSchema = z.strictObject({ userId: idSchema })

type Parameters = z.output<typeof parametersSchema>

/** `init_import_wallet`: a signed key that the user who stamps may seal one seed phrase to (custody protocol § 4.5). */
export const initImportWallet = initImport('wallet', {
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: { intent: 'initImportWalletIntent', result: 'initImportWalletResult' },
})

/** `init_import_private_key`: the same for one private key. */
export const initImportPrivateKey = initImport('private_key', {
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: {
    intent: 'initImportPrivateKeyIntent',
    result: 'initImportPrivateKeyResult',
  },
})

function initImport(kind: 'wallet' | 'private_key', types: ActivityDefinition['types']): ActivityDefinition {
  return defineActivity<Parameters>({
    types,
    parameters: parametersSchema,
    authorize: assertOwnOrganization,
    quorum: false,
    async execute(context, { db, caller, organization, parameters }) {
      const { userId } = parameters
      assertSelf(caller, userId)
      const signingKey = requireSigningKey(context)
      const organizationId = organization.id
      const targetPublicKey = await createImportTarget(context, db, { orgId: organizationId, userId, kind })
      return { importBundle: importBundle({ targetPublicKey, organizationId, userId, signingKey }) }
    },
  })
}
