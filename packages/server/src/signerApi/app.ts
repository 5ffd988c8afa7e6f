import { Hono } from 'hono'
import { oauthPaths, signerApiPaths, signerApiPrefix } from 'latchkey-protocol'
import type { createStamp } from '../platform/crypto/createStamp.ts'
import type { Db } from '../platform/database/openStore.ts'
import { clientIp } from '../platform/http/clientIp.ts'
import { clientHeaders, cors } from '../platform/http/cors.ts'
import type { JwtIssuer } from '../platform/http/createJwtVerifier.ts'
import { errorResponse } from '../platform/http/errorResponse.ts'
import { requestId } from '../platform/http/requestId.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { measureRequests } from '../platform/observability/metrics.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import type { LimitHit } from '../store/createEventStream.ts'
import { listAllowedOrigins, originCheck } from '../store/projects.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { createAccessTokenKeys } from './accessTokenKeys.ts'
import { accessTokenRoutes } from './accessTokenRoutes.ts'
import { configRoutes } from './configRoutes.ts'
import { createEmailAuth } from './createEmailAuth.ts'
import { createFactorStep } from './createFactorStep.ts'
import { createOauthRequests } from './createOauthRequests.ts'
import { createCustodyClient } from './custodyClient.ts'
import { factorRoutes } from './factorRoutes.ts'
import { oauthRoutes } from './oauthRoutes.ts'
import { publishedOauthRoutes } from './publishedOauthRoutes.ts'
import { publishedRoutes } from './publishedRoutes.ts'
import { type Caller, requireProject } from './requireProject.ts'
import { createLimits, defaultTimeoutsMs, type SignerApiLimits } from './signerApiLimits.ts'
import { stampedRoutes } from './stampedRoutes.ts'
import { userRoutes } from './userRoutes.ts'

export declare namespace signerApiApp {
  type Deps = {
    db: Db
    logger?: Logger | undefined
    /** Parent of every user's sub-organization. */
    rootOrganizationId: string
    /**
     * Projects from the configuration, read at each request. Only these are served, and only these may allow codes at
     * the signer API.
     *
     * @default all of the database
     */
    projects?: readonly upsertProject.Parameters[] | undefined
    /** URLs for browsers. */
    urls: { custody: string; authFrame: string; exportFrame: string; importFrame: string }
    /** Custody's URL as reachable from this role. */
    custodyUrl: string
    /** P-256 API key of a user of the parent organization, hex. */
    apiKey: createStamp.ApiKey
    /** Number of the key that signs access tokens. Raise it by 1 to rotate the key. @default 1 */
    accessTokenKey?: number | undefined
    /** Issuers whose tokens authenticate a project; read at each request. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    /** Number of our proxies that write `X-Forwarded-For`. @default 0 */
    trustedProxies?: number | undefined
    /** For development: requests from this machine have no per-IP limit. @default false */
    exemptLoopback?: boolean | undefined
    /** Overrides of the default limits. */
    limits?: Partial<SignerApiLimits> | undefined
    /** Called when a project's limit refuses a request. */
    onLimit?: ((hit: LimitHit) => void) | undefined
    /** Maximum milliseconds of a call to custody. @default 10000 */
    custodyTimeoutMs?: number | undefined
    /** Milliseconds to wait, after custody's response, for the mail server to accept the mail. @default 10000 */
    mailTimeoutMs?: number | undefined
    /** @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = Hono<Caller>
}

/**
 * Returns the signer API role, under `/signer`. It forwards users' stamped requests, and may itself only create
 * sub-organizations and start e-mail authentication. Errors are JSON `{ code, message }`.
 */
export function signerApiApp(deps: signerApiApp.Deps): signerApiApp.ReturnType {
  const { db, rootOrganizationId, urls, custodyUrl, apiKey, now } = deps
  const { custodyTimeoutMs = defaultTimeoutsMs.custody, mailTimeoutMs = defaultTimeoutsMs.mail } = deps
  const logger = deps.logger ?? silentLogger
  const limits = createLimits(db, deps.limits, deps.onLimit)
  const findProject = createProjectFinder(db, deps)
  const custody = createCustodyClient({ custodyUrl, apiKey, timeoutMs: custodyTimeoutMs, now })
  const emailAuth = createEmailAuth({ db, custody, limits, mailTimeoutMs, config: deps })
  const requests = createOauthRequests({ custody, apiKey, config: deps })
  const factorStep = createFactorStep({ custody, apiKey })
  const keys = createAccessTokenKeys({ secret: apiKey.privateKey, generation: deps.accessTokenKey ?? 1 })

  const api = new Hono<Caller>()
  const isAllowed = originCheck(() => listAllowedOrigins(db), { readProjects: () => deps.projects })
  api.use('*', cors({ isAllowed, allowHeaders: clientHeaders }))
  api.use('*', limits.requestsPerIp)
  api.use('*', requireProject({ findProject, rootOrganizationId }))
  api.use('*', limits.requestsPerProject)
  for (const path of [signerApiPaths.signup, oauthPaths.redeem, oauthPaths.token, oauthPaths.jwt])
    api.use(path, limits.signupsPerIp)
  api.route('/', userRoutes({ db, custody, emailAuth }))
  api.route('/', stampedRoutes({ db, custody, limits }))
  api.route('/', accessTokenRoutes({ db, custody, limits, keys, now: now ?? Date.now }))
  api.route('/', factorRoutes({ db, custody, factorStep, limits }))
  api.route('/', oauthRoutes({ db, custody, requests, factorStep, urls, config: deps }))
  api.route('/', publishedRoutes({ db, custody, factorStep, limits, mailTimeoutMs, config: deps }))

  const app = new Hono<Caller>()
  app.onError((error, context) => errorResponse(context, error, { logger }))
  app.use('*', requestId())
  app.use('*', measureRequests('signer-api'))
  app.use('*', async (context, next) => {
    context.set('clientIp', clientIp(context, deps))
    await next()
  })
  // Registered before the other routes, since only this route is public.
  app.route(
    signerApiPrefix + signerApiPaths.config,
    configRoutes({ db, findProject, rootOrganizationId, urls, config: deps, limit: limits.requestsPerIp }),
  )
  app.get(
    signerApiPrefix + signerApiPaths.jwks,
    cors({ isAllowed: 'any', allowHeaders: clientHeaders, allowMethods: ['GET'] }),
    limits.requestsPerIp,
    (context) => context.json(keys.keySet, 200, { 'cache-control': 'public, max-age=300' }),
  )
  // Providers return to this page, without the project's API key.
  app.use(signerApiPrefix + oauthPaths.publishedCallback, limits.requestsPerIp, limits.signupsPerIp)
  app.route(signerApiPrefix, publishedOauthRoutes({ db, custody, requests, factorStep, rootOrganizationId, logger }))
  app.route(signerApiPrefix, api)
  app.notFound((context) => {
    const message = `There is no ${context.req.method} ${context.req.path} here.`
    return context.json({ code: 'NOT_FOUND', message }, 404)
  })
  return app
}
