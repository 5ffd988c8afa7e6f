import { Hono } from 'hono'
import { signerApiPaths, signerApiPrefix } from 'latchkey/wire'
import { clientIp } from '../http/clientIp.ts'
import { cors } from '../http/cors.ts'
import type { JwtIssuer } from '../http/createJwtVerifier.ts'
import { errorResponse } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import { rateLimit } from '../http/rateLimit.ts'
import { requestId } from '../http/requestId.ts'
import type { createStamp } from '../keys/createStamp.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import type { Db } from '../store/openStore.ts'
import { listAllowedOrigins, originCheck } from '../store/projects.ts'
import { takeToken } from '../store/takeToken.ts'
import { clientHeaders } from './access/clientHeaders.ts'
import { type Caller, requireProject } from './access/requireProject.ts'
import { authRoutes } from './auth/routes.ts'
import { configRoutes } from './config/routes.ts'
import { createCustodyClient } from './custody-client/createCustodyClient.ts'
import { createForward } from './custody-client/createForward.ts'
import { createEmailAuth } from './email-auth/createEmailAuth.ts'
import { defaultLimits, type SignerApiLimits } from './limits/limits.ts'
import { lookupRoutes } from './lookup/routes.ts'
import { signPayloadRoutes } from './sign-payload/routes.ts'
import { signupRoutes } from './signup/routes.ts'
import { whoamiRoutes } from './whoami/routes.ts'

export declare namespace signerApiApp {
  type Deps = {
    db: Db
    logger?: Logger | undefined
    /** Parent of every user's sub-organization. */
    rootOrganizationId: string
    /** As browsers reach them. */
    urls: { custody: string; authFrame: string; exportFrame: string; importFrame: string }
    /** As this role reaches custody. */
    custodyUrl: string
    /** P-256 API key of a user of the parent organization, hex. */
    apiKey: createStamp.ApiKey
    /** Issuers whose tokens stand for a project. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    /** How many proxies of ours write `X-Forwarded-For` before this server. @default 0 */
    trustedProxies?: number | undefined
    /** Limits that differ from the usual ones. */
    limits?: Partial<SignerApiLimits> | undefined
    /** How long custody may take. @default 10000 */
    custodyTimeoutMs?: number | undefined
    /** How long somebody then waits for their mail to be handed over. @default 10000 */
    mailTimeoutMs?: number | undefined
  }
  type ReturnType = Hono
}

/**
 * The signer API role, under `/signer`. It forwards what users stamped and may itself only make sub-organizations
 * and start e-mail authentication. Errors are JSON `{ code, message }`.
 */
export function signerApiApp(deps: signerApiApp.Deps): signerApiApp.ReturnType {
  const { db, rootOrganizationId, urls, custodyUrl, apiKey, custodyTimeoutMs, mailTimeoutMs } = deps
  const logger = deps.logger ?? silentLogger
  const limits = { ...defaultLimits, ...deps.limits }
  const findProject = createProjectFinder(db, deps.jwt)
  const custody = createCustodyClient({ custodyUrl, apiKey, timeoutMs: custodyTimeoutMs })
  const emailAuth = createEmailAuth({ db, custody, limits, mailTimeoutMs })
  const forward = createForward({ db, custody, requestsPerOrganization: limits.requestsPerOrganization })
  const limited = limiters(deps, limits)

  const api = new Hono<Caller>()
  api.use('*', cors({ isAllowed: originCheck(() => listAllowedOrigins(db)), allowHeaders: clientHeaders }))
  api.use('*', limited.requestsPerIp)
  api.use('*', requireProject({ findProject, rootOrganizationId }))
  api.use('*', limited.requestsPerProject)
  api.use(signerApiPaths.signup, limited.signupsPerIp)
  api.route(signerApiPaths.lookup, lookupRoutes({ db }))
  api.route(signerApiPaths.signup, signupRoutes({ db, custody, emailAuth }))
  api.route(signerApiPaths.auth, authRoutes({ db, emailAuth }))
  api.route(signerApiPaths.whoami, whoamiRoutes({ db, forward }))
  api.route(signerApiPaths.signPayload, signPayloadRoutes({ forward }))

  const app = new Hono()
  app.use('*', requestId())
  // First: it is public, and the other routes are not.
  app.route(signerApiPrefix + signerApiPaths.config, configRoutes({ db, findProject, rootOrganizationId, urls }))
  app.route(signerApiPrefix, api)
  app.notFound((context) => {
    const message = `There is no ${context.req.method} ${context.req.path} here.`
    return context.json({ code: 'NOT_FOUND', message }, 404)
  })
  app.onError((error, context) => errorResponse(context, error, { logger }))
  return app
}

function limiters({ db, trustedProxies }: signerApiApp.Deps, limits: SignerApiLimits) {
  const take = (token: takeToken.Parameters) => takeToken(db, token)
  const perIp = (name: 'requestsPerIp' | 'signupsPerIp') =>
    rateLimit<Caller>({
      ...limits[name],
      take,
      key(context) {
        const ip = clientIp(context, trustedProxies)
        context.set('clientIp', ip)
        return ip && `${name} ${ip}`
      },
    })
  return {
    requestsPerIp: perIp('requestsPerIp'),
    signupsPerIp: perIp('signupsPerIp'),
    requestsPerProject: rateLimit<Caller>({
      ...limits.requestsPerProject,
      take,
      key: (context) => `project ${context.get('project').id}`,
    }),
  }
}
