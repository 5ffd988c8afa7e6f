import { type Context, Hono } from 'hono'
import {
  type AuthMethodsResponse,
  activityTypes,
  custodyPaths,
  type OtpResponse,
  type SignerConfigResponse,
  signerApiPaths,
  wrongCodeError,
} from 'latchkey-protocol'
import { z } from 'zod'
import { ServerError } from '../platform/errors/ServerError.ts'
import { readJson } from '../platform/http/requestBody.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { addressCodePaths, askForAddressCode, verifyAddressCode } from './addressCodeRoutes.ts'
import { targetPublicKeySchema } from './createEmailAuth.ts'
import { type createFactorStep, givenFactorsSchema } from './createFactorStep.ts'
import { readResult } from './custodyClient.ts'
import type { Caller, CallerProject } from './requireProject.ts'
import type { createLimits } from './signerApiLimits.ts'
import { forward, requireChild } from './stampedRoutes.ts'
import { findProvenEmail } from './users.ts'

export declare namespace publishedRoutes {
  type Deps = askForAddressCode.Deps & {
    limits: Pick<createLimits.ReturnType, 'takeRequest' | 'listsPerIp'>
    factorStep: createFactorStep.ReturnType
    /** The configuration's projects, read at each request. */
    config: { readonly projects?: readonly upsertProject.Parameters[] | undefined }
  }
}

/**
 * Additional routes of later published clients (`docs/wire/signer.md`). Their dialog shows only the member `error` of a
 * failure, so every failure has that member. Routes without a result respond with an empty object: these clients parse
 * every body.
 */
export function publishedRoutes(deps: publishedRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  routes.post(signerApiPaths.signerConfig, (context) => {
    const mode = readCodes(deps, context.get('project')) === 'preferred' ? 'OTP' : 'MAGIC_LINK'
    return context.json({ email: { mode } } satisfies SignerConfigResponse)
  })
  routes.post(signerApiPaths.otp, (context) => withErrorMember(context, () => redeemCode(deps, context)))
  routes.post(addressCodePaths.init, (context) =>
    withErrorMember(context, () => {
      assertCodes(deps, context)
      return askForAddressCode(deps, context)
    }),
  )
  routes.post(addressCodePaths.verify, (context) =>
    withErrorMember(context, () => {
      assertCodes(deps, context)
      return verifyAddressCode(deps, context)
    }),
  )
  routes.use(signerApiPaths.listAuthMethods, deps.limits.listsPerIp)
  routes.post(signerApiPaths.listAuthMethods, (context) => listAuthMethods(deps, context))

  routes.post(signerApiPaths.updateEmailAuth, async (context) => {
    const reply = await forward(deps, context, custodyPaths.updateUser, updateUserEmail)
    const { activity } = readResult(activitySchema, reply)
    if (activity.status === 'ACTIVITY_STATUS_COMPLETED') return context.json({})
    const message =
      'The change waits for confirmation. Open the link in the email to the current address, if there is one, then the link in the email to the new address.'
    throw new ServerError(message, { code: 'CONFIRMATION_NEEDED', status: 409 })
  })

  /** Custody records every export itself, so a page's report is ignored. */
  routes.post(signerApiPaths.trackKeyExport, async (context) => {
    await readJson(context.req.raw, exportSchema)
    return context.json({})
  })

  for (const [path, reason] of Object.entries(refusedRoutes))
    routes.post(`/v1/${path}`, (context) => {
      const message = `${reason} See docs/wire/signer.md.`
      return context.json({ code: 'METHOD_NOT_SUPPORTED', message, error: message }, 400)
    })
  return routes
}

/** Used only by published clients, so it is not in the table that every page loads. */
const updateUserEmail = '/public/v1/submit/update_user_email'

const noPhone = 'This server does not support phone numbers. Use an email address or a passkey.'
const noProvider = 'Send create_oauth_providers or delete_oauth_providers to custody, stamped by the user.'
const noGroups =
  'This server does not support groups of owners. Use a multi-owner account, which stores its owners on chain.'

/** Unsupported routes of published clients, each with the reason. */
export const refusedRoutes: Readonly<Record<string, string>> = {
  'update-phone-auth': noPhone,
  'add-oauth-provider': noProvider,
  'remove-oauth-provider': noProvider,
  'multi-owner-create': noGroups,
  'multi-owner-prepare-add': noGroups,
  'multi-owner-add': noGroups,
  'multi-owner-update-root-quorum': noGroups,
  'multi-owner-prepare-delete': noGroups,
  'multi-owner-delete': noGroups,
  'multi-owner-sign-raw-payload': noGroups,
}

/** Reads the setting from the configuration: write access to the database must not enable codes. */
function readCodes(
  { config: { projects = [] } }: publishedRoutes.Deps,
  { id }: CallerProject,
): 'refused' | 'allowed' | 'preferred' {
  return projects.find((project) => project.id === id)?.signerCodes ?? 'refused'
}

export const otpSchema = z.object({
  orgId: z.uuid(),
  otpId: z.uuid(),
  otpCode: z.string().max(64),
  targetPublicKey: targetPublicKeySchema,
  expirationSeconds: z.number().positive().max(9_999_999_999).optional(),
  multiFactors: givenFactorsSchema,
})

function assertCodes(deps: publishedRoutes.Deps, { var: { project } }: Context<Caller>): void {
  if (readCodes(deps, project) !== 'refused') return
  throw new ServerError(
    'This service does not accept codes. Open the link in the email, or set "signerCodes": "allowed" for the project in the projects file.',
    { code: 'METHOD_NOT_SUPPORTED', status: 400 },
  )
}

/**
 * Redeems a code. Custody opens a session only for the key that requested the mail, regardless of the key in this
 * request.
 */
async function redeemCode(deps: publishedRoutes.Deps, context: Context<Caller>): Promise<Response> {
  const { project } = context.var
  assertCodes(deps, context)
  const { expirationSeconds, multiFactors, ...body } = await readJson(context.req.raw, otpSchema)
  const orgId = await requireChild(deps.db, { project, orgId: body.orgId })
  await deps.limits.takeRequest(orgId)
  const parameters = {
    otpId: body.otpId,
    otpCode: body.otpCode.trim(),
    targetPublicKey: body.targetPublicKey.toLowerCase(),
    ...(expirationSeconds && { expirationSeconds: String(Math.ceil(expirationSeconds)) }),
  }
  const call = { type: activityTypes.otpAuth, orgId, parameters }
  const signedIn = await deps.factorStep.signIn(call, { project, asker: context.var, multiFactors })
  return context.json(signedIn satisfies OtpResponse)
}

/** The published client's dialog reads `error`, and has its own text for a wrong code. */
async function withErrorMember(context: Context<Caller>, respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond()
  } catch (error) {
    if (!(error instanceof ServerError) || error.status >= 429) throw error
    const { code, message } = error
    if (code === 'OTP_INVALID') return context.json({ error: wrongCodeError }, 400)
    return context.json({ code, message, error: message }, 400)
  }
}

const usersSchema = z.object({
  users: z.array(
    z.object({
      authenticators: z.array(
        z.object({
          authenticatorId: z.string(),
          createdAt: z.object({ seconds: z.coerce.number() }),
        }),
      ),
    }),
  ),
})

/**
 * Lists sign-in methods without a stamp, so anyone with an organization's id may read them. Therefore the address is
 * masked, passkeys are numbered instead of named, and requests are rate limited.
 */
async function listAuthMethods({ db, custody, limits }: publishedRoutes.Deps, context: Context<Caller>) {
  const { project } = context.var
  const { suborgId } = await readJson(context.req.raw, z.object({ suborgId: z.uuid() }))
  if (project.hidesAccounts)
    throw new ServerError(
      'This project tells nobody who has an account. Ask custody, with a stamp: get_authenticators.',
      {
        code: 'METHOD_NOT_SUPPORTED',
        status: 400,
      },
    )
  const orgId = await requireChild(db, { project, orgId: suborgId })
  await limits.takeRequest(orgId)
  const [reply, email] = await Promise.all([
    custody.query(custodyPaths.listUsers, { organizationId: orgId }, context.var),
    findProvenEmail(db, { orgId }),
  ])
  const [user] = readResult(usersSchema, reply).users
  const passkeys = (user?.authenticators ?? []).map(({ authenticatorId, createdAt }, index) => ({
    authenticatorId,
    name: `Passkey ${index + 1}`,
    createdAt: createdAt.seconds * 1000,
  }))
  return context.json({
    ...(email !== null && { email: maskEmail(email) }),
    oauthProviders: [],
    passkeys,
  } satisfies AuthMethodsResponse)
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}***${email.slice(at)}`
}

const activitySchema = z.object({ activity: z.looseObject({ status: z.string() }) })
export const exportSchema = z.object({
  orgId: z.string().max(64),
  accountAddress: z.string().max(128),
  type: z.enum(['ETH', 'SOL']),
})
