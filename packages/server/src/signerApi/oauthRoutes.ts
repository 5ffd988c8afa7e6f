import { createHash, randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { type FetchIdTokenResponse, oauthPagePath, oauthPaths, type PrepareOauthResponse } from 'latchkey-protocol'
import { z } from 'zod'
import { deriveKey, openText, sealText } from '../keys/sealText.ts'
import type { createStamp } from '../platform/crypto/createStamp.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { readJson } from '../platform/http/requestBody.ts'
import { readOidcProviders, type TrustedOidcProvider } from '../store/oidcProviders.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { targetPublicKeySchema } from './createEmailAuth.ts'
import type { CustodyClient } from './custodyClient.ts'
import { exchangeCode } from './exchangeCode.ts'
import type { Caller, CallerProject } from './requireProject.ts'
import { signInByToken } from './signInByToken.ts'

export declare namespace oauthRoutes {
  type Deps = {
    db: Db
    custody: CustodyClient
    apiKey: createStamp.ApiKey
    urls: { authFrame: string }
    /** The configuration's projects, read at each request. */
    config: { readonly projects?: readonly upsertProject.Parameters[] | undefined }
  }
}

/** Maximum milliseconds that a user may spend at the provider. */
const requestMs = 600_000
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
const requestSchema = z.object({ verifier: z.string(), projectId: z.string(), endsMs: z.number() })

/**
 * Adds sign-in by identity providers: the authorization code flow with PKCE (RFC 7636) of a project's providers, and
 * tokens of an app's own issuer. Custody verifies the tokens. Each session is sealed to the frame's key in the token.
 */
export function oauthRoutes(deps: oauthRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  const key = deriveKey(deps.apiKey.privateKey, 'latchkey oauth request')
  const callbackUrl = new URL(oauthPagePath, deps.urls.authFrame).href

  async function redeem(project: CallerProject, { requestKey, providerId, code, iss }: z.output<typeof codeSchema>) {
    const request = openRequest(key, requestKey)
    if (!request || request.projectId !== project.id || request.endsMs <= deps.custody.now())
      throw refused('This sign-in has expired. Start it again.')
    const provider = readProviders(deps, project).find(({ id }) => id === providerId)
    if (!provider?.client) throw unknownProvider(providerId)
    if (iss !== undefined && iss !== provider.issuer)
      throw refused('Another identity provider has answered than was asked. Start the sign-in again.')
    return { provider, token: await exchangeCode(provider, { code, verifier: request.verifier, callbackUrl }) }
  }

  routes.post(oauthPaths.prepare, async (context) => {
    const { project } = context.var
    const authProviders = readProviders(deps, project).flatMap(toAuthProvider)
    if (authProviders.length === 0) return context.json(noProvider, 400)
    await readJson(context.req.raw, prepareSchema)
    const verifier = randomBytes(32).toString('base64url')
    const request = { verifier, projectId: project.id, endsMs: deps.custody.now() + requestMs }
    return context.json({
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      requestKey: sealText(key, JSON.stringify(request)),
      callbackUrl,
      authProviders,
    } satisfies PrepareOauthResponse)
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
    const own = readProviders(deps, context.var.project).filter(({ client }) => client === undefined)
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

function toAuthProvider({ id, name, client }: TrustedOidcProvider): PrepareOauthResponse['authProviders'] {
  if (!client) return []
  const scope = [...new Set(['openid', ...(client.scopes ?? ['email'])])].join(' ')
  return [{ id, isCustomProvider: true, name, clientId: client.id, authEndpoint: client.authorizationUrl, scope }]
}

type Session = {
  provider: TrustedOidcProvider
  token: string
  body: { targetPublicKey: string; expirationSeconds?: number | undefined; asksToLink?: boolean | undefined }
}

async function respond(
  { db, custody, config }: oauthRoutes.Deps,
  context: Context<Caller>,
  { provider, token, body }: Session,
): Promise<Response> {
  const { targetPublicKey, expirationSeconds } = body
  const { id, organizationId: parentOrgId, hidesAccounts } = context.var.project
  // A user without an address could not confirm anything.
  const isConfirmedByMail = findProject(config, id)?.confirmations !== 'none'
  const linksTo = !body.asksToLink ? undefined : isConfirmedByMail ? 'any' : hidesAccounts ? undefined : 'account'
  const session = await signInByToken(
    { db, custody },
    { provider, token, targetPublicKey, expirationSeconds, linksTo, parentOrgId, asker: context.var },
  )
  return context.json(session satisfies signInByToken.ReturnType)
}

/** Reads the providers from the configuration: write access to the database must not add any. */
function readProviders({ config }: oauthRoutes.Deps, { id }: CallerProject): TrustedOidcProvider[] {
  return readOidcProviders(id, findProject(config, id)?.oidcProviders)
}

const findProject = ({ projects = [] }: oauthRoutes.Deps['config'], id: string) =>
  projects.find((project) => project.id === id)

function openRequest(key: Uint8Array, text: string): z.output<typeof requestSchema> | undefined {
  const opened = openText(key, text)
  return opened === undefined ? undefined : requestSchema.parse(JSON.parse(opened))
}

function unknownProvider(id: string | undefined): ServerError {
  const named = id === undefined ? 'no identity provider' : `no identity provider ${JSON.stringify(id)}`
  return new ServerError(
    `This project has ${named} for this. Use an email address or a passkey, or add it to "oidcProviders" in the projects file.`,
    { code: 'METHOD_NOT_SUPPORTED', status: 400 },
  )
}

const refused = (message: string) => new ServerError(message, { code: 'OIDC_TOKEN_INVALID', status: 400 })
