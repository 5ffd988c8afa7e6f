import { sql } from 'kysely'
import { type AccountStatement, activityTypes, custodyPaths } from 'latchkey-protocol'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { toStoredEmail } from '../platform/http/emails.ts'
import { type Asker, type CustodyClient, readResult } from './custodyClient.ts'

export declare namespace findUserByEmail {
  type Parameters = { parentOrgId: string; email: string }
  /** `verified`: whether the user ever signed in with a link from that mailbox. */
  type ReturnType = { userId: string; orgId: string; email: string; verified: boolean } | null
}

/** Returns the user with an e-mail among a parent's sub-organizations, compared case-insensitively, or null. */
export async function findUserByEmail(
  db: Db,
  parameters: findUserByEmail.Parameters,
): Promise<findUserByEmail.ReturnType> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'org_id', 'email', 'email_verified_at'])
    .where('parent_org_id', '=', parameters.parentOrgId)
    .where(sql<string>`lower(email)`, '=', toStoredEmail(parameters.email).toLowerCase())
    .executeTakeFirst()
  if (!row?.email) return null
  return { userId: row.id, orgId: row.org_id, email: row.email, verified: row.email_verified_at !== null }
}

export declare namespace findUserProfile {
  type Parameters = {
    userId: string
    orgId: string
    /** Users of other parents are not found. */
    parentOrgId: string
  }
  type ReturnType = { userId: string; orgId: string; email: string | null } | null
}

export async function findUserProfile(
  db: Db,
  parameters: findUserProfile.Parameters,
): Promise<findUserProfile.ReturnType> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'org_id', 'email'])
    .where('id', '=', parameters.userId)
    .where('org_id', '=', parameters.orgId)
    .where('parent_org_id', '=', parameters.parentOrgId)
    .executeTakeFirst()
  if (!row) return null
  return { userId: row.id, orgId: row.org_id, email: row.email }
}

/** Returns the e-mail address of an organization's first user; null if no mail to it was ever used. */
export async function findProvenEmail(db: Db, { orgId }: { orgId: string }): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('email')
    .where('org_id', '=', orgId)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst()
  return row?.email ?? null
}

/** Wallet of a new user: one Ethereum account, the first of BIP-44. */
export const newWallet = {
  walletName: 'Ethereum wallet',
  accounts: [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ],
}

/** `parentOrgId`: parent of the new sub-organization. */
type Owner = { parentOrgId: string; asker: Asker }

export declare namespace findOrCreateUser {
  type Deps = { db: Db; custody: CustodyClient }
  type Parameters = Owner & { email: string }
  type ReturnType = NonNullable<findUserByEmail.ReturnType>
}

/**
 * Returns the user of an e-mail address, or creates one with a sub-organization and a wallet. Concurrent callers get
 * the same user. Calls custody first, since only custody knows whether the address's current user has proven it.
 */
export async function findOrCreateUser(
  { db, custody }: findOrCreateUser.Deps,
  { parentOrgId, email, asker }: findOrCreateUser.Parameters,
): Promise<findOrCreateUser.ReturnType> {
  const activity = custody.serialize(activityTypes.createSubOrganization, parentOrgId, {
    subOrganizationName: email,
    rootUsers: [{ userName: email, userEmail: email, apiKeys: [], authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
    wallet: newWallet,
  })
  let refusal: unknown
  try {
    await custody.submit(custodyPaths.createSubOrganization, activity, asker)
  } catch (error) {
    // The address already belongs to a user, or another sign-up waits for its mail.
    if (!(error instanceof ServerError && error.code === 'INVALID_EMAIL')) throw error
    refusal = error
  }
  const user = await findUserByEmail(db, { parentOrgId, email })
  if (user) return user
  throw refusal ?? new ServerError('The new user cannot be found. Try again.', { code: 'INTERNAL', status: 500 })
}

const base64url = z.string().min(1).max(16_384)

/** A passkey's registration, verified by custody. */
export const passkeySchema = z.object({
  challenge: base64url,
  attestation: z.object({
    credentialId: base64url,
    attestationObject: base64url,
    clientDataJson: base64url,
    transports: z.array(z.string().max(64)).max(5),
  }),
})

/** Custody's signed statement, forwarded unchanged: the client verifies it. */
export const statementSchema = z.object({ data: z.string(), signature: z.string(), signingKey: z.string() })

const newUserSchema = z.object({
  createSubOrganizationResultV7: z.object({
    subOrganizationId: z.string(),
    rootUserIds: z.tuple([z.string()]),
    wallet: z.object({ addresses: z.tuple([z.custom<Address>((value) => isAddress(String(value)))]) }),
    account: statementSchema.optional(),
  }),
})

export declare namespace createPasskeyUser {
  type Parameters = Owner & { passkey: z.output<typeof passkeySchema> }
  type ReturnType = { orgId: string; userId: string; address: Address; account?: AccountStatement | undefined }
}

/**
 * Creates a user with only a passkey, with a sub-organization and a wallet. Custody verifies the registration and
 * refuses a registered passkey (`CREDENTIAL_CONFLICT`).
 */
export async function createPasskeyUser(
  custody: CustodyClient,
  { parentOrgId, passkey, asker }: createPasskeyUser.Parameters,
): Promise<createPasskeyUser.ReturnType> {
  const name = `passkey-${custody.now()}`
  const authenticator = { authenticatorName: name, challenge: passkey.challenge, attestation: passkey.attestation }
  const activity = custody.serialize(activityTypes.createSubOrganization, parentOrgId, {
    subOrganizationName: name,
    rootUsers: [{ userName: name, apiKeys: [], authenticators: [authenticator], oauthProviders: [] }],
    rootQuorumThreshold: 1,
    wallet: newWallet,
  })
  const { result } = await custody.submit(custodyPaths.createSubOrganization, activity, asker)
  const made = readResult(newUserSchema, result).createSubOrganizationResultV7
  const { subOrganizationId: orgId, rootUserIds, wallet, account } = made
  return { orgId, userId: rootUserIds[0], address: wallet.addresses[0], account }
}
