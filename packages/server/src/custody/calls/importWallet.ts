import { z } from 'zod'
import { custodyError } from '../custodyError.ts'
import { defineActivity } from '../definitions.ts'
import { assertOwnOrganization, assertSelf } from '../permissions.ts'
import { accountsSchema, idSchema, nameSchema } from '../schemas.ts'
import { withImportedSecret } from '../wallets/importTargets.ts'
import { mnemonicEntropy } from '../wallets/mnemonicEntropy.ts'
import { storeWallet } from '../wallets/storeWallet.ts'
import { encryptedBundleSchema } from './encryptedBundle.ts'

/** Stands between a phrase and its passphrase. */
const passphraseMark = '\n--PASS--\n'

const parametersSchema = z.strictObject({
  userId: idSchema,
  walletName: nameSchema,
  encryptedBundle: encryptedBundleSchema,
  accounts: accountsSchema,
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `import_wallet`: keeps a seed phrase that a user sealed to a key of `init_import_wallet` (custody protocol § 4.5). A
 * phrase with a passphrase of its own is refused: it would not give the accounts its owner expects.
 */
export const importWallet = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_IMPORT_WALLET: { intent: 'importWalletIntent', result: 'importWalletResult' } },
  parameters: parametersSchema,
  authorize: assertOwnOrganization,
  execute(context, { db, caller, organization, parameters }) {
    const { userId, walletName: name, encryptedBundle, accounts } = parameters
    assertSelf(caller, userId)
    const orgId = organization.id
    const sealed = { orgId, userId, kind: 'wallet', ...encryptedBundle } as const
    return withImportedSecret(context, db, sealed, async (mnemonic) => {
      if (Buffer.from(mnemonic.buffer, mnemonic.byteOffset, mnemonic.length).includes(passphraseMark))
        throw custodyError('REQUEST_INVALID', 'Seed phrases with a passphrase of their own cannot be imported.')
      const entropy = mnemonicEntropy(mnemonic)
      try {
        return await storeWallet(db, context, { orgId, name, accounts, entropy, imported: true })
      } finally {
        entropy.fill(0)
      }
    })
  },
})
