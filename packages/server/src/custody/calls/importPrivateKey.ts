import { secp256k1 } from '@noble/curves/secp256k1.js'
import { z } from 'zod'
import { custodyError } from '../custodyError.ts'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization, assertSelf } from '../permissions.ts'
import { idSchema, nameSchema } from '../schemas.ts'
import { withImportedSecret } from '../wallets/importTargets.ts'
import { storePrivateKey } from '../wallets/storePrivateKey.ts'
import { encryptedBundleSchema } from './encryptedBundle.ts'

const parametersSchema = z.strictObject({
  userId: idSchema,
  privateKeyName: nameSchema,
  encryptedBundle: encryptedBundleSchema,
  curve: z.literal('CURVE_SECP256K1'),
  addressFormats: z.tuple([z.literal('ADDRESS_FORMAT_ETHEREUM')]),
})

type Parameters = z.output<typeof parametersSchema>

/** `import_private_key`: keeps a key that a user sealed to a key of `init_import_private_key` (custody protocol § 4.5). */
export const importPrivateKey = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: { intent: 'importPrivateKeyIntent', result: 'importPrivateKeyResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  execute(context, { db, caller, organization, parameters }) {
    const { userId, privateKeyName: name, encryptedBundle } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const sealed = { orgId, userId, kind: 'private_key', ...encryptedBundle } as const
    return withImportedSecret(context, db, sealed, async (privateKey) => {
      if (!secp256k1.utils.isValidSecretKey(privateKey))
        throw custodyError('REQUEST_INVALID', 'What was sealed is not a private key of secp256k1: 32 bytes, in range.')
      const { privateKeyId, address } = await storePrivateKey(db, context, { orgId, name, privateKey })
      return { privateKeyId, addresses: [{ format: 'ADDRESS_FORMAT_ETHEREUM', address }] }
    })
  },
})
