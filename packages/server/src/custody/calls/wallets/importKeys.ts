import { secp256k1 } from '@noble/curves/secp256k1.js'
import { z } from 'zod'
import { parseJson } from '../../../platform/http/requestBody.ts'
import { custodyError } from '../../custodyError.ts'
import {
  accountsSchema,
  addressSchema,
  curveSchema,
  idSchema,
  nameSchema,
  uncompressedKeySchema,
} from '../../custodySchemas.ts'
import { type ActivityDefinition, type ConfirmationSubject, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueNotice } from '../../enqueueMail.ts'
import { findFirstPosition } from '../../moving/findFirstPosition.ts'
import { importsToFrame, isConfirmedByMail } from '../../organizations/trustedProjects.ts'
import { findUser, provenAddress } from '../../organizations/user.ts'
import { assertOwnOrganization, assertSelf } from '../../permissions.ts'
import { createImportBundle } from '../../wallets/createImportBundle.ts'
import { withImportedSecret } from '../../wallets/importTargets.ts'
import { mnemonicEntropy } from '../../wallets/mnemonic.ts'
import { storePrivateKey } from '../../wallets/privateKeys.ts'
import { storeWallet } from '../../wallets/wallet.ts'

/** `init_import_wallet`: returns a signed key to which the caller may seal one seed phrase (custody protocol § 4.5). */
export const initImportWallet = defineInitImport('wallet', {
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: { intent: 'initImportWalletIntent', result: 'initImportWalletResult' },
})

/**
 * `init_import_private_key`: returns a signed key to which the caller may seal one private key (custody protocol §
 * 4.5).
 */
export const initImportPrivateKey = defineInitImport('private_key', {
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: {
    intent: 'initImportPrivateKeyIntent',
    result: 'initImportPrivateKeyResult',
  },
})

function defineInitImport(kind: 'wallet' | 'private_key', types: ActivityDefinition['types']): ActivityDefinition {
  return defineActivity({
    types,
    parameters: z.strictObject({ userId: idSchema }),
    authorize: assertOwnOrganization,
    quorum: false,
    async execute(context, { db, caller, organization, parameters }) {
      const { userId } = parameters
      assertSelf(caller, userId)
      const bundle = await createImportBundle(context, db, { orgId: organization.id, userId, kind })
      const isTakenByPage =
        isConfirmedByMail(context, caller.rootOrgId) &&
        !importsToFrame(context, caller.rootOrgId) &&
        provenAddress(await findUser(context, db, { orgId: organization.id, userId })) !== null
      return { importBundle: bundle, ...(isTakenByPage && { takenBy: 'confirmation' }) }
    },
  })
}

const sealedSchema = z.strictObject({
  encappedPublic: uncompressedKeySchema,
  ciphertext: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,1024}$/, 'must be hex'),
})

/**
 * Parses the sealed data of an import, which requests contain as JSON text within a string (custody protocol § 4.5).
 */
export const encryptedBundleSchema = z
  .string()
  .max(4096)
  .transform((text, context) => {
    const parsed = sealedSchema.safeParse(readJson(text))
    if (parsed.success)
      return {
        enc: Buffer.from(parsed.data.encappedPublic, 'hex'),
        ciphertext: Buffer.from(parsed.data.ciphertext, 'hex'),
      }
    context.addIssue('must be JSON text with encappedPublic and ciphertext in hex')
    return z.NEVER
  })

function readJson(text: string): unknown {
  try {
    return parseJson(new TextEncoder().encode(text))
  } catch {
    return undefined
  }
}

/**
 * Returns the subject to confirm: the user enters the secret on the page on which they confirm, since a script in the
 * app's page could seal a secret of its own. Undefined if the app's frame takes the secret.
 */
function toSubject(
  context: CustodyContext,
  rootOrgId: string,
  subject: Pick<ConfirmationSubject, 'action' | 'takes'>,
): ConfirmationSubject | undefined {
  return importsToFrame(context, rootOrgId) ? undefined : { ...subject, isAlwaysAsked: true }
}

function missingBundle() {
  return custodyError(
    'REQUEST_INVALID',
    'There is no secret to import. Seal one to the key of init_import, and send it.',
  )
}

/** Separates a phrase from its passphrase. */
const passphraseMark = '\n--PASS--\n'

/**
 * `import_wallet`: stores a seed phrase that a user sealed to a key of `init_import_wallet` (custody protocol § 4.5).
 * Refuses a phrase with a passphrase, since its accounts would not be the expected ones. With `movedAddress`, a
 * Latchkey extension, the phrase becomes the account's first wallet, and its first address must match (see
 * docs/design/export-and-import.md).
 */
export const importWallet = defineActivity({
  types: { ACTIVITY_TYPE_IMPORT_WALLET: { intent: 'importWalletIntent', result: 'importWalletResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    walletName: nameSchema,
    encryptedBundle: encryptedBundleSchema.optional(),
    accounts: accountsSchema,
    movedAddress: addressSchema.optional(),
  }),
  authorize: assertOwnOrganization,
  confirmation: (context, { caller, parameters }) =>
    parameters.movedAddress === undefined
      ? toSubject(context, caller.rootOrgId, { action: 'import-wallet', takes: 'phrase' })
      : undefined,
  async execute(context, { db, caller, organization, activityId, parameters }) {
    const { userId, walletName: name, encryptedBundle, accounts, movedAddress } = parameters
    assertSelf(caller, userId)
    if (!encryptedBundle) throw missingBundle()
    const orgId = organization.id
    const createdAt = movedAddress === undefined ? undefined : await findFirstPosition(context, db, caller)
    const sealed = { orgId, userId, kind: 'wallet', ...encryptedBundle } as const
    return withImportedSecret(context, db, sealed, async (mnemonic) => {
      if (Buffer.from(mnemonic.buffer, mnemonic.byteOffset, mnemonic.length).includes(passphraseMark))
        throw custodyError('REQUEST_INVALID', 'Recovery phrases with a passphrase cannot be imported.')
      const entropy = mnemonicEntropy(mnemonic)
      try {
        const stored = await storeWallet(db, context, { orgId, name, accounts, entropy, imported: true, createdAt })
        if (movedAddress === undefined) return stored
        assertMoved(stored.addresses, movedAddress)
        await enqueueNotice(context, db, { kind: 'wallet-moved', organizationId: orgId, userId, activityId })
        return stored
      } finally {
        entropy.fill(0)
      }
    })
  },
})

function assertMoved([first = '']: readonly string[], movedAddress: string): void {
  if (first.toLowerCase() === movedAddress.toLowerCase()) return
  throw custodyError('REQUEST_INVALID', `The recovery phrase does not belong to ${movedAddress}. Nothing was moved.`)
}

/**
 * `import_private_key`: stores a key that a user sealed to a key of `init_import_private_key` (custody protocol § 4.5).
 */
export const importPrivateKey = defineActivity({
  types: { ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: { intent: 'importPrivateKeyIntent', result: 'importPrivateKeyResult' } },
  parameters: z.strictObject({
    userId: idSchema,
    privateKeyName: nameSchema,
    encryptedBundle: encryptedBundleSchema.optional(),
    curve: curveSchema,
    addressFormats: z.tuple([z.literal('ADDRESS_FORMAT_ETHEREUM')]),
  }),
  authorize: assertOwnOrganization,
  confirmation: (context, { caller }) => toSubject(context, caller.rootOrgId, { action: 'import-key', takes: 'key' }),
  execute(context, { db, caller, organization, parameters }) {
    const { userId, privateKeyName: name, encryptedBundle } = parameters
    assertSelf(caller, userId)
    if (!encryptedBundle) throw missingBundle()
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
