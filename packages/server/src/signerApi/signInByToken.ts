import { decodeJwt } from 'jose'
import {
  activityTypes,
  custodyPaths,
  type LinkNeededResponse,
  type OauthFactorResponse,
  type OauthSessionResponse,
  oauthActivityTypes,
  oauthCustodyPaths,
} from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { requireEmail, toStoredEmail } from '../platform/http/emails.ts'
import type { TrustedOidcProvider } from '../store/oidcProviders.ts'
import type { createFactorStep } from './createFactorStep.ts'
import { type Asker, type CustodyClient, readResult } from './custodyClient.ts'
import type { CallerProject } from './requireProject.ts'
import { findUserByEmail, newWallet } from './users.ts'

export declare namespace signInByToken {
  type Deps = { db: Db; custody: CustodyClient; factorStep: createFactorStep.ReturnType }
  type Parameters = {
    provider: TrustedOidcProvider
    token: string
    targetPublicKey: string
    expirationSeconds?: number | undefined
    /**
     * Whether to return the token's unproven e-mail address for a sign-in by e-mail instead of creating an account.
     * `any`: any address; `account`: only the address of an existing account.
     *
     * @default none
     */
    linksTo?: 'any' | 'account' | undefined
    parentOrgId: string
    project: Pick<CallerProject, 'id'>
    asker: Asker
  }
  type ReturnType = OauthSessionResponse | OauthFactorResponse | LinkNeededResponse
}

const organizationsSchema = z.object({ organizationIds: z.array(z.string()) })
const createdSchema = z.object({ createSubOrganizationResultV7: z.object({ subOrganizationId: z.string() }) })

/**
 * Signs in by an identity token. An unknown identity is linked to the account whose address the token proves, or else
 * signed up. Custody verifies the token at each step.
 *
 * @throws `OIDC_TOKEN_INVALID`, and any code of custody.
 */
export async function signInByToken(
  deps: signInByToken.Deps,
  parameters: signInByToken.Parameters,
): Promise<signInByToken.ReturnType> {
  const known = await findOrganization(deps, parameters)
  const linkEmail = known === undefined && parameters.linksTo ? await findLinkEmail(deps, parameters) : undefined
  if (linkEmail !== undefined) return { linkEmail }
  const { orgId, isSignUp } = known === undefined ? await enroll(deps, parameters) : { orgId: known, isSignUp: false }
  const signedIn = await openSession(deps, parameters, orgId)
  return 'status' in signedIn ? { ...signedIn, orgId } : { ...signedIn, orgId, isSignUp }
}

async function findOrganization(
  { custody }: signInByToken.Deps,
  { token, parentOrgId, asker }: signInByToken.Parameters,
): Promise<string | undefined> {
  const filter = { organizationId: parentOrgId, filterType: 'OIDC_TOKEN', filterValue: token }
  const found = await custody.query('/public/v1/query/list_suborgs', filter, asker)
  return readResult(organizationsSchema, found).organizationIds[0]
}

/** Links the identity to an account, or creates an account. Concurrent requests get the same account. */
async function enroll(
  deps: signInByToken.Deps,
  parameters: signInByToken.Parameters,
): Promise<{ orgId: string; isSignUp: boolean }> {
  const { parentOrgId } = parameters
  const email = readProvenEmail(parameters)
  const user = email === undefined ? null : await findUserByEmail(deps.db, { parentOrgId, email })
  try {
    if (user) return { orgId: await link(deps, parameters, user), isSignUp: false }
    return { orgId: await signUp(deps, parameters, email), isSignUp: true }
  } catch (error) {
    const isTaken = error instanceof ServerError && error.code === 'CREDENTIAL_CONFLICT'
    const orgId = isTaken ? await findOrganization(deps, parameters) : undefined
    if (orgId === undefined) throw error
    return { orgId, isSignUp: false }
  }
}

/** Returns the address that the token proves, by the same rules as custody. */
function readProvenEmail({ provider, token }: signInByToken.Parameters): string | undefined {
  const isProven = provider.provesEmail && String(decodeJwt(token).email_verified) === 'true'
  return isProven ? readEmail(token) : undefined
}

/**
 * Returns the token's unproven address, or an empty string if it has no address. Returns undefined if no sign-in by
 * e-mail is needed.
 */
async function findLinkEmail(
  { db }: signInByToken.Deps,
  parameters: signInByToken.Parameters,
): Promise<string | undefined> {
  const { token, parentOrgId, linksTo } = parameters
  if (readProvenEmail(parameters) !== undefined) return undefined
  const email = readEmail(token)
  if (linksTo === 'any') return email ?? ''
  return email !== undefined && (await findUserByEmail(db, { parentOrgId, email })) ? email : undefined
}

function readEmail(token: string): string | undefined {
  const { email } = decodeJwt(token)
  if (typeof email !== 'string') return undefined
  try {
    requireEmail(email)
    return toStoredEmail(email)
  } catch {
    return undefined
  }
}

async function link(
  { custody }: signInByToken.Deps,
  { provider, token, asker }: signInByToken.Parameters,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<string> {
  const oauthProviders = [{ providerName: provider.id, oidcToken: token }]
  const activity = custody.serialize(oauthActivityTypes.add, orgId, { userId, oauthProviders })
  await custody.submit(oauthCustodyPaths.add, activity, asker)
  return orgId
}

async function signUp(
  { custody }: signInByToken.Deps,
  { provider, token, parentOrgId, asker }: signInByToken.Parameters,
  email: string | undefined,
): Promise<string> {
  const name = email ?? `${provider.id}-${custody.now()}`
  const activity = custody.serialize(activityTypes.createSubOrganization, parentOrgId, {
    subOrganizationName: name,
    rootUsers: [
      {
        userName: name,
        ...(email !== undefined && { userEmail: email }),
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: provider.id, oidcToken: token }],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: newWallet,
  })
  const { result } = await custody.submit(custodyPaths.createSubOrganization, activity, asker)
  return readResult(createdSchema, result).createSubOrganizationResultV7.subOrganizationId
}

function openSession(
  { factorStep }: signInByToken.Deps,
  { token, targetPublicKey, expirationSeconds, project, asker }: signInByToken.Parameters,
  orgId: string,
): ReturnType<createFactorStep.ReturnType['signIn']> {
  const parameters = {
    oidcToken: token,
    targetPublicKey: targetPublicKey.toLowerCase(),
    ...(expirationSeconds && { expirationSeconds: String(Math.ceil(expirationSeconds)) }),
  }
  return factorStep.signIn({ type: 'ACTIVITY_TYPE_OAUTH', orgId, parameters }, { project, asker })
}
