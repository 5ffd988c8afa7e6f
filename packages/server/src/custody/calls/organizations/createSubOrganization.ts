import type { AccountStatement } from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../../../platform/database/openStore.ts'
import { accountStatement } from '../../bundles/accountStatement.ts'
import { custodyError } from '../../custodyError.ts'
import { maxOauthProviders, maxPasskeys, maxUsers } from '../../custodyLimits.ts'
import { apiKeysSchema, authenticatorSchema, emailSchema, nameSchema, walletSchema } from '../../custodySchemas.ts'
import { type ActivityVerification, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { verifyIdToken } from '../../oidc/verifyIdToken.ts'
import { insertOrganization } from '../../organizations/organization.ts'
import { allowsParentCredentials } from '../../organizations/trustedProjects.ts'
import { insertUser } from '../../organizations/user.ts'
import { proveUserEmail } from '../../organizations/userEmail.ts'
import { assertRootOnRoot } from '../../permissions.ts'
import { generateWallet } from '../../wallets/wallet.ts'
import { registerPasskeys } from '../users/authenticators.ts'
import { newProvidersSchema, registerProviders } from '../users/oauthProviders.ts'
import { registerApiKeys } from '../users/sessionApiKeys.ts'

const rootUserSchema = z.strictObject({
  userName: nameSchema,
  userEmail: emailSchema.optional(),
  userPhoneNumber: z.literal('', 'is not supported by this server; leave it out').optional(),
  apiKeys: apiKeysSchema,
  authenticators: z.array(authenticatorSchema).max(maxPasskeys),
  oauthProviders: newProvidersSchema.max(maxOauthProviders).optional(),
})

const parametersSchema = z
  .strictObject({
    subOrganizationName: nameSchema,
    rootUsers: z.array(rootUserSchema).min(1, 'must hold a user').max(maxUsers, `must hold at most ${maxUsers} users`),
    rootQuorumThreshold: z.int().min(1),
    wallet: walletSchema.optional(),
    // E-mail authentication is a sign-in method, so it cannot be disabled; the other features are not supported.
    disableEmailAuth: z.literal(false).optional(),
    disableEmailRecovery: z.boolean().optional(),
    disableSmsAuth: z.boolean().optional(),
    disableOtpEmailAuth: z.boolean().optional(),
  })
  .refine(({ rootUsers, rootQuorumThreshold }) => rootQuorumThreshold <= rootUsers.length, {
    path: ['rootQuorumThreshold'],
    message: 'must not be more than there are users',
  })

const createdSchema = z
  .object({ subOrganizationId: z.string(), rootUserIds: z.array(z.string()) })
  .transform(({ subOrganizationId: organizationId, rootUserIds: userIds }) => ({ organizationId, userIds }))

/**
 * `create_sub_organization`: creates an organization with a wallet, for one end user or for several who decide together
 * (custody protocol § 2.7). An e-mail address can be used once within the parent.
 */
export const createSubOrganization = defineActivity({
  types: Object.fromEntries(
    ['V8', 'V7', 'V4'].map((version) => [
      `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`,
      { intent: `createSubOrganizationIntent${version}`, result: `createSubOrganizationResult${version}` },
    ]),
  ),
  parameters: parametersSchema,
  authorize: assertRootOnRoot,
  verify: verifyProviders,
  readCreated: (result) => createdSchema.parse(result),
  async execute(context, { db, organization, parameters }) {
    const { subOrganizationName: name, rootQuorumThreshold, wallet } = parameters
    const parentId = organization.id
    const orgId = await insertOrganization(context, db, { parentId, name, rootQuorumThreshold })
    const rootUserIds: string[] = []
    for (const user of parameters.rootUsers) rootUserIds.push(await addRootUser(context, db, { orgId, parentId, user }))
    const made =
      wallet &&
      (await generateWallet(db, context, {
        orgId,
        name: wallet.walletName,
        accounts: wallet.accounts,
        wordCount: wallet.mnemonicLength,
      }))
    const account = await newAccount(context, db, { orgId, userIds: rootUserIds, users: parameters.rootUsers })
    return { subOrganizationId: orgId, ...(made && { wallet: made }), rootUserIds, ...(account && { account }) }
  },
})

/** Returns custody's signed statement of the new account if its only user signs up with a passkey. */
async function newAccount(
  context: CustodyContext,
  db: Db,
  { orgId, userIds, users }: { orgId: string; userIds: readonly string[]; users: readonly RootUser[] },
): Promise<AccountStatement | undefined> {
  const [userId, credential] = [userIds[0], users[0]?.authenticators[0]?.attestation.credentialId]
  if (users.length !== 1 || userId === undefined || credential === undefined) return undefined
  return accountStatement(context, db, { credential, orgId, userId })
}

type RootUser = z.output<typeof rootUserSchema>

async function addRootUser(
  context: CustodyContext,
  db: Db,
  { orgId, parentId, user }: { orgId: string; parentId: string; user: RootUser },
): Promise<string> {
  const { userName: name, userEmail: email, apiKeys, authenticators, oauthProviders = [] } = user
  const userId = await insertUser(context, db, { orgId, parentOrgId: parentId, name, email })
  await registerApiKeys(context, db, { userId, orgId, apiKeys })
  await registerPasskeys(context, db, { userId, orgId, rootOrgId: parentId, authenticators })
  const identities = await registerProviders(context, db, { userId, orgId, rootOrgId: parentId, oauthProviders })
  if (identities.some((identity) => identity.email !== undefined && isSameEmail(identity.email, email)))
    await proveUserEmail(context, db, { orgId, userId })
  return userId
}

/**
 * Verifies the tokens of new users. A user who signs up by a provider may have no other credential and no unproven
 * address. Otherwise, the parent could add its own credential to another person's account.
 *
 * @throws `OIDC_TOKEN_INVALID`, `FOREIGN_CREDENTIAL`.
 */
async function verifyProviders(
  context: CustodyContext,
  { organization, parameters: { rootUsers } }: ActivityVerification<z.output<typeof parametersSchema>>,
): Promise<void> {
  const rootOrgId = organization.id
  for (const { oauthProviders = [], userEmail, apiKeys, authenticators } of rootUsers) {
    const emails: (string | undefined)[] = []
    for (const { oidcToken: token } of oauthProviders)
      emails.push((await verifyIdToken(context, { token, rootOrgId })).email)
    if (oauthProviders.length === 0 || allowsParentCredentials(context, rootOrgId)) continue
    const isAlone = rootUsers.length === 1 && apiKeys.length === 0 && authenticators.length === 0
    const isOwnEmail = userEmail === undefined || emails.every((email) => isSameEmail(email, userEmail))
    if (isAlone && isOwnEmail && oauthProviders.length === 1) continue
    throw custodyError(
      'FOREIGN_CREDENTIAL',
      'An account of an identity provider is made without other keys, users, providers or an address that its token ' +
        'does not prove. A server that makes keys for its users sets "parentCredentials": "allowed" in the projects file of custody.',
    )
  }
}

const isSameEmail = (one: string | undefined, other: string | undefined) =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase()
