import { type Context, Hono } from 'hono'
import { type FetchIdTokenResponse, oauthPagePath, oauthPaths, type PrepareOauthResponse } from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { readJson } from '../platform/http/requestBody.ts'
import type { TrustedOidcProvider } from '../store/oidcProviders.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { targetPublicKeySchema } from './createEmailAuth.ts'
import type { createFactorStep } from './createFactorStep.ts'
import { type createOauthRequests, unknownProvider } from './createOauthRequests.ts'
import type { CustodyClient } from './custodyClient.ts'
import type { Caller, CallerProject } from './requireProject.ts'
import { signInByToken } from './signInByToken.ts'

export declare namespace oauthRoutes {
  type Deps = {
    db: Db
    custody: CustodyClient
    requests: ReturnType<typeof createOauthRequests>
    factorStep: createFactorStep.ReturnType
    urls: { authFrame: string }
    /** The configuration's projects, read at each request. */
    config: { readonly projects?: readonly upsertProject.Parameters[] | undefined }
  }
}

const secondsSchema = z.number().positive().max(9_999_999_999).optional()
const prepareSchema = z.object({ nonce: z.string().regex(/^[\da-f]{64}$/, 'must be a SHA-256 digest in hex') })
const codeSchema = z.object({
  requestKey: z.string().max(1024),
  providerId: z.string().max(64),
  code: z.string().min(1).max(4096),
  iss: z.string().max(1024).optional(),
})
const redeemSchema = codeSchema.extend({
  targetPublicKey: targetPublicKeySchema,
  expirationSeconds: secondsSchema,
  asksToLink: z.boolean().optional(),
})
const jwtSchema = z.object({
  jwt: z.string().max(16_384),
  targetPublicKey: targetPublicKeySchema,
  authProvider: z.string().max(64).optional(),
  expirationSeconds: secondsSchema,
})

/**
 * Adds sign-in by identity providers: the authorization code flow with PKCE (RFC 7636) of a project's providers, and
 * tokens of an app's own issuer. Custody verifies the tokens. Each session is sealed to the frame's key in the token.
 */
export function oauthRoutes(deps: oauthRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  const { requests } = deps
  const callbackUrl = new URL(oauthPagePath, deps.urls.authFrame).href

  const redeem = (project: CallerProject, { requestKey, ...answer }: z.output<typeof codeSchema>) =>
    requests.redeem(requests.open(requestKey, project.id), { ...answer, toCallbackUrl: () => callbackUrl })

  routes.post(oauthPaths.prepare, async (context) => {
    const { project } = context.var
    const authProviders = requests.readProviders(project.id).flatMap(toAuthProvider)
    if (authProviders.length === 0) return context.json(noProvider, 400)
    await readJson(context.req.raw, prepareSchema)
    return context.json({ ...requests.create(project.id), callbackUrl, authProviders } satisfies PrepareOauthResponse)
  })

  routes.post(oauthPaths.redeem, async (context) => {
    const body = await readJson(context.req.raw, redeemSchema)
    return respond(deps, context, { ...(await redeem(context.var.project, body)), body })
  })

  routes.post(oauthPaths.token, async (context) => {
    const { token } = await redeem(context.var.project, await readJson(context.req.raw, codeSchema))
    return context.json({ idToken: token } satisfies FetchIdTokenResponse)
  })

  routes.post(oauthPaths.jwt, async (context) => {
    const own = requests.readProviders(context.var.project.id).filter(({ client }) => client === undefined)
    if (own.length === 0) return context.json(noProvider, 400)
    const body = await readJson(context.req.raw, jwtSchema)
    const provider = body.authProvider === undefined ? own[0] : own.find(({ id }) => id === body.authProvider)
    if (!provider) throw unknownProvider(body.authProvider)
    return respond(deps, context, { provider, token: body.jwt, body })
  })
  return routes
}

/** Published dialogs show the member `error`. */
const noProviderText =
  'This project has no identity providers. Use an email address or a passkey, or add "oidcProviders" to the projects file. See docs/wire/signer.md.'
const noProvider = { code: 'METHOD_NOT_SUPPORTED', message: noProviderText, error: noProviderText }

/** Account Kit 4 looks up the providers that it knows, such as Google, without `isCustomProvider`. */
function toAuthProvider({ id, name, client }: TrustedOidcProvider): PrepareOauthResponse['authProviders'] {
  if (!client) return []
  const scope = [...new Set(['openid', ...(client.scopes ?? ['email'])])].join(' ')
  const provider = { id, name, clientId: client.id, authEndpoint: client.authorizationUrl, scope }
  const custom = { ...provider, isCustomProvider: true } as const
  return client.publishedCallbackUrl === undefined ? [custom] : [custom, provider]
}

type Session = {
  provider: TrustedOidcProvider
  token: string
  body: { targetPublicKey: string; expirationSeconds?: number | undefined; asksToLink?: boolean | undefined }
}

async function respond(
  { db, custody, factorStep, config }: oauthRoutes.Deps,
  context: Context<Caller>,
  { provider, token, body }: Session,
): Promise<Response> {
  const { targetPublicKey, expirationSeconds } = body
  const { id, organizationId: parentOrgId, hidesAccounts } = context.var.project
  // A user without an address could not confirm anything.
  const isConfirmedByMail = findProject(config, id)?.confirmations !== 'none'
  const linksTo = !body.asksToLink ? undefined : isConfirmedByMail ? 'any' : hidesAccounts ? undefined : 'account'
  const session = await signInByToken(
    { db, custody, factorStep },
    {
      provider,
      token,
      targetPublicKey,
      expirationSeconds,
      linksTo,
      parentOrgId,
      project: context.var.project,
      asker: context.var,
    },
  )
  return context.json(session satisfies signInByToken.ReturnType)
}

const findProject = ({ projects = [] }: oauthRoutes.Deps['config'], id: string) =>
  projects.find((project) => project.id === id)
