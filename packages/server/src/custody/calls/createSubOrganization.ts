import { z } from 'zod'
import { defineActivity } from '../activities/definition.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import { maxPasskeys } from '../credentials/addPasskey.ts'
import type { CustodyContext } from '../deps.ts'
import { insertOrganization } from '../organizations/insertOrganization.ts'
import { insertUser } from '../organizations/insertUser.ts'
import { createWallet } from '../wallets/createWallet.ts'
import { assertRootOnRoot } from './permissions.ts'
import { registerPasskeys } from './registerPasskeys.ts'
import { apiKeySchema, authenticatorSchema, emailSchema, nameSchema, walletSchema } from './schemas.ts'

const notYet = 'is not supported by this server yet; send an empty list'

const rootUserSchema = z.strictObject({
  userName: nameSchema,
  userEmail: emailSchema.optional(),
  apiKeys: z
    .array(apiKeySchema)
    .max(10)
    .refine((list) => new Set(list.map((key) => key.publicKey)).size === list.length, 'must hold each key once'),
  authenticators: z.array(authenticatorSchema).max(maxPasskeys),
  oauthProviders: z.array(z.unknown()).max(0, notYet).optional(),
})

const parametersSchema = z.strictObject({
  subOrganizationName: nameSchema,
  rootUsers: z.tuple([rootUserSchema], 'must hold exactly one user'),
  rootQuorumThreshold: z.literal(1),
  wallet: walletSchema.optional(),
  // There is nothing to switch off but e-mail authentication, and that is how the user gets in.
  disableEmailAuth: z.literal(false).optional(),
  disableEmailRecovery: z.boolean().optional(),
  disableSmsAuth: z.boolean().optional(),
  disableOtpEmailAuth: z.boolean().optional(),
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `create_sub_organization`: one organization for one end user, with a wallet (custody protocol § 2.7).
 * An e-mail can be used once within the parent.
 */
export const createSubOrganization = defineActivity<Parameters>({
  types: Object.fromEntries(
    ['V8', 'V7', 'V4'].map((version) => [
      `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`,
      { intent: `createSubOrganizationIntent${version}`, result: `createSubOrganizationResult${version}` },
    ]),
  ),
  parameters: parametersSchema,
  authorize: assertRootOnRoot,
  async execute(context, { db, organization, parameters }) {
    const [user] = parameters.rootUsers
    const parentId = organization.id
    const orgId = await insertOrganization(context, db, { parentId, name: parameters.subOrganizationName })
    const userId = await insertUser(context, db, {
      orgId,
      parentOrgId: parentId,
      name: user.userName,
      email: user.userEmail,
    })
    for (const apiKey of user.apiKeys)
      await addApiKey(context, db, {
        userId,
        orgId,
        name: apiKey.apiKeyName,
        publicKey: apiKey.publicKey,
        expiresAt: expiry(context, apiKey.expirationSeconds),
      })
    await registerPasskeys(context, db, {
      userId,
      orgId,
      rootOrgId: organization.id,
      authenticators: user.authenticators,
    })
    const wallet =
      parameters.wallet &&
      (await createWallet(db, context.keyEncryption, {
        orgId,
        name: parameters.wallet.walletName,
        paths: parameters.wallet.accounts.map((account) => account.path),
        wordCount: parameters.wallet.mnemonicLength,
      }))
    return { subOrganizationId: orgId, ...(wallet && { wallet }), rootUserIds: [userId] }
  },
})

function expiry(context: CustodyContext, seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(context.now() + seconds * 1000)
}
