import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type ActivityExecution, defineActivity } from '../activities/definition.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import { maxPasskeys } from '../credentials/addPasskey.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
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
    const orgId = randomUUID()
    const [user] = parameters.rootUsers
    await db
      .insertInto('organizations')
      .values({ id: orgId, parent_id: organization.id, name: parameters.subOrganizationName })
      .execute()
    const userId = await insertUser(db, { orgId, parentOrgId: organization.id, user })
    for (const apiKey of user.apiKeys)
      await addApiKey(db, context.macKey, {
        userId,
        orgId,
        name: apiKey.apiKeyName,
        publicKey: apiKey.publicKey,
        expiresAt: expiry(context, apiKey.expirationSeconds),
      })
    await registerPasskeys(context, db, { userId, orgId, authenticators: user.authenticators })
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

async function insertUser(
  db: ActivityExecution<Parameters>['db'],
  { orgId, parentOrgId, user }: { orgId: string; parentOrgId: string; user: z.output<typeof rootUserSchema> },
): Promise<string> {
  const id = randomUUID()
  const inserted = await db
    .insertInto('users')
    .values({ id, org_id: orgId, parent_org_id: parentOrgId, name: user.userName, email: user.userEmail ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted)
    throw custodyError('INVALID_EMAIL', 'A sub-organization with this e-mail address exists already. Use that one.')
  return id
}

function expiry(context: CustodyContext, seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(context.now() + seconds * 1000)
}
