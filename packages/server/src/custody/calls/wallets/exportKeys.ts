import type { ExportWalletAccountResult, ExportWalletResult } from 'latchkey-protocol'
import { getAddress } from 'viem'
import { z } from 'zod'
import type { Db } from '../../../platform/database/openStore.ts'
import { bundleAccount } from '../../bundles/bundleAccount.ts'
import { exportBundle } from '../../bundles/signedBundles.ts'
import { addressSchema, idSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { type ActivityExecution, type ConfirmationSubject, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { exportsToFrame } from '../../organizations/trustedProjects.ts'
import { assertOwnOrganization } from '../../permissions.ts'
import { mnemonicBytes } from '../../wallets/mnemonic.ts'
import { withPrivateKey } from '../../wallets/privateKeys.ts'
import { withEntropy } from '../../wallets/wallet.ts'
import { withAccountKey } from '../../wallets/withSigningKey.ts'
import { requireBundleSigningKey } from './bundleSigningKey.ts'

/** `export_wallet`: returns the seed phrase, sealed to an export frame (custody protocol §§ 2.6, 4.4). */
export const exportWallet = defineActivity({
  types: { ACTIVITY_TYPE_EXPORT_WALLET: { intent: 'exportWalletIntent', result: 'exportWalletResult' } },
  parameters: z.strictObject({
    walletId: idSchema,
    targetPublicKey: uncompressedKeySchema,
    language: z.literal('MNEMONIC_LANGUAGE_ENGLISH').optional(),
  }),
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  confirmation: (context, request) => toSubject(context, request, { action: 'export-wallet' }),
  async execute(context, { db, caller, organization, parameters }) {
    const { walletId, targetPublicKey } = parameters
    const [orgId, userId] = [organization.id, caller.userId]
    const bundle = await withEntropy(db, context.keyEncryption, { orgId, walletId }, async (entropy) => {
      const plaintext = mnemonicBytes(entropy)
      try {
        const secret = { orgId, userId, table: 'wallets', id: walletId, targetPublicKey, plaintext } as const
        return await exportSecret(context, db, secret)
      } finally {
        plaintext.fill(0)
      }
    })
    return { walletId, exportBundle: bundle } satisfies ExportWalletResult
  },
})

/**
 * `export_wallet_account`: returns the private key of one address, sealed to an export frame (custody protocol §§ 2.6,
 * 4.4).
 */
export const exportWalletAccount = defineActivity({
  types: {
    ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: {
      intent: 'exportWalletAccountIntent',
      result: 'exportWalletAccountResult',
    },
  },
  parameters: z.strictObject({ address: addressSchema, targetPublicKey: uncompressedKeySchema }),
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  confirmation: (context, request) =>
    toSubject(context, request, { action: 'export-key', address: getAddress(request.parameters.address) }),
  execute(context, { db, caller, organization, parameters }) {
    const { address, targetPublicKey } = parameters
    const [orgId, userId] = [organization.id, caller.userId]
    return withAccountKey(db, context.keyEncryption, { orgId, address }, async (plaintext, { walletId, ...found }) => {
      const wallet = { orgId, userId, table: 'wallets', id: walletId } as const
      const secret = { ...wallet, address: found.address, targetPublicKey, plaintext }
      const bundle = await exportSecret(context, db, secret)
      return { address: found.address, exportBundle: bundle } satisfies ExportWalletAccountResult
    })
  },
})

/**
 * `export_private_key`: returns a private key outside any wallet, sealed to an export frame (custody protocol §§ 2.7,
 * 4.4).
 */
export const exportPrivateKey = defineActivity({
  types: { ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: { intent: 'exportPrivateKeyIntent', result: 'exportPrivateKeyResult' } },
  parameters: z.strictObject({ privateKeyId: idSchema, targetPublicKey: uncompressedKeySchema }),
  authorize: assertOwnOrganization,
  stepUp: true,
  notice: 'wallet-exported',
  isResultTransient: true,
  async confirmation(context, request) {
    const key = await request.db
      .selectFrom('private_keys')
      .select('address')
      .where('org_id', '=', request.organization.id)
      .where('id', '=', request.parameters.privateKeyId)
      .executeTakeFirst()
    return toSubject(context, request, { action: 'export-key', address: key?.address })
  },
  async execute(context, { db, caller, organization, parameters }) {
    const { privateKeyId, targetPublicKey } = parameters
    const [orgId, userId] = [organization.id, caller.userId]
    const bundle = await withPrivateKey(db, context.keyEncryption, { orgId, privateKeyId }, (plaintext, address) => {
      const key = { orgId, userId, table: 'private_keys', id: privateKeyId } as const
      return exportSecret(context, db, { ...key, address, targetPublicKey, plaintext })
    })
    return { privateKeyId, exportBundle: bundle }
  },
})

/**
 * Returns the subject to confirm. The confirmation page also shows the secret, since a script in the app's page could
 * replace the request's key. If the project's app shows exports, the user compares that key instead.
 */
function toSubject(
  context: CustodyContext,
  { caller, parameters }: ActivityExecution<{ targetPublicKey: string }>,
  shown: Pick<ConfirmationSubject, 'action' | 'address'>,
): ConfirmationSubject {
  return exportsToFrame(context, caller.rootOrgId)
    ? { ...shown, publicKeys: [{ hex: parameters.targetPublicKey }] }
    : { ...shown, reveals: shown.action === 'export-wallet' ? 'phrase' : 'key', isAlwaysAsked: true }
}

type Secret = {
  orgId: string
  /** Exporting user. */
  userId: string
  /** Table with the secret. `id` is the id of its row. */
  table: 'wallets' | 'private_keys'
  id: string
  /** EIP-55. @default the wallet's first account */
  address?: string
  /** Uncompressed P-256 point, hex. */
  targetPublicKey: string
  plaintext: Uint8Array
}

async function exportSecret(
  context: CustodyContext,
  db: Db,
  { orgId, userId, table, id, address, targetPublicKey, plaintext }: Secret,
): Promise<string> {
  const signingKey = requireBundleSigningKey(context)
  await db
    .updateTable(table)
    .set({ exported_at: new Date(context.now()) })
    .where('id', '=', id)
    .where('org_id', '=', orgId)
    .execute()
  return exportBundle({
    organizationId: orgId,
    account: await bundleAccount(context, db, { orgId, userId, address, walletId: id }),
    targetPublicKey: Buffer.from(targetPublicKey, 'hex'),
    plaintext,
    signingKey,
  })
}
