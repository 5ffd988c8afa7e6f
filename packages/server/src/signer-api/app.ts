import { Hono } from 'hono'
import { signerApiPaths, signerApiPrefix } from 'latchkey/wire'
import { cors } from '../http/cors.ts'
import { errorResponse } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import type { createStamp } from '../keys/createStamp.ts'
import type { Db } from '../store/openStore.ts'
import { originCheck } from '../store/projects/originCheck.ts'
import { clientHeaders } from './access/clientHeaders.ts'
import { type Caller, requireProject } from './access/requireProject.ts'
import { authRoutes } from './auth/routes.ts'
import { configRoutes } from './config/routes.ts'
import { createCustodyClient } from './custody-client/createCustodyClient.ts'
import { createEmailAuth } from './email-auth/createEmailAuth.ts'
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
    /** Mails to one address. @default 6 in 15 minutes */
    mailLimit?: { count: number; windowMs: number } | undefined
    /** How long somebody waits for their mail to be handed over. @default 10000 */
    mailTimeoutMs?: number | undefined
  }
  type ReturnType = Hono
}

/**
 * The signer API role, under `/signer`. It forwards what users stamped and may itself only make sub-organizations
 * and start e-mail authentication. Errors are JSON `{ code, message }`.
 */
export function signerApiApp(deps: signerApiApp.Deps): signerApiApp.ReturnType {
  const { db, rootOrganizationId, urls, custodyUrl, apiKey, mailLimit, mailTimeoutMs } = deps
  const logger = deps.logger ?? silentLogger
  const custody = createCustodyClient({ custodyUrl, apiKey })
  const emailAuth = createEmailAuth({ db, custody, mailLimit, mailTimeoutMs })

  const api = new Hono<Caller>()
  api.use('*', cors({ isAllowed: originCheck(db), allowHeaders: clientHeaders }))
  api.use('*', requireProject(db))
  api.route(signerApiPaths.lookup, lookupRoutes({ db, rootOrganizationId }))
  api.route(signerApiPaths.signup, signupRoutes({ db, custody, rootOrganizationId, emailAuth }))
  api.route(signerApiPaths.auth, authRoutes({ db, rootOrganizationId, emailAuth }))
  api.route(signerApiPaths.whoami, whoamiRoutes({ db, custody }))
  api.route(signerApiPaths.signPayload, signPayloadRoutes({ custody }))

  const app = new Hono()
  // First: it is public, and the other routes are not.
  app.route(signerApiPrefix + signerApiPaths.config, configRoutes({ rootOrganizationId, urls }))
  app.route(signerApiPrefix, api)
  app.notFound((context) => {
    const message = `There is no ${context.req.method} ${context.req.path} here.`
    return context.json({ code: 'NOT_FOUND', message }, 404)
  })
  app.onError((error, context) => errorResponse(error, logger, { path: context.req.path }))
  return app
}
