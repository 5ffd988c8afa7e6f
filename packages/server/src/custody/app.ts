import { createHash } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { type ConfirmationResponse, custodyPaths, headers, operatorActivitiesPath } from 'latchkey-protocol'
import { createBatcher } from '../platform/database/createBatcher.ts'
import { derive } from '../platform/derive.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { clientAddressHeader, createClientAddressReader } from '../platform/http/clientAddress.ts'
import { clientIp } from '../platform/http/clientIp.ts'
import { cors } from '../platform/http/cors.ts'
import { errorResponse } from '../platform/http/errorResponse.ts'
import { parseJson, readBody, validate } from '../platform/http/requestBody.ts'
import { requestId } from '../platform/http/requestId.ts'
import { type Limit, rateLimit } from '../platform/limits/rateLimit.ts'
import { countActivity, measureRequests } from '../platform/observability/metrics.ts'
import { noteDone } from '../platform/observability/securityEvents.ts'
import { createRecorder } from './activities/createRecorder.ts'
import { submitActivity } from './activities/submitActivity.ts'
import { refused } from './calls/refused.ts'
import { findDefinition, queries, submits } from './calls/table.ts'
import { decideConfirmation, decideSchema, readConfirmation, readSchema } from './confirmations/decide.ts'
import { resendConfirmation } from './confirmations/resend.ts'
import { createRequestLimits } from './createRequestLimits.ts'
import { type ApiKeyLookUp, selectApiKeys } from './credentials/findCaller.ts'
import { readOnlySessionHeader } from './credentials/readOnlySession.ts'
import { custodyError, custodyErrorBody } from './custodyError.ts'
import {
  codesPerIp,
  confirmationReadsPerIp,
  defaultSkewMs,
  deletionGraceMs,
  maxBodyBytes,
  requestsPerIp,
} from './custodyLimits.ts'
import type { StampedRequest } from './definitions.ts'
import type { CustodyDeps } from './deps.ts'
import { createKeySets } from './oidc/createKeySets.ts'
import { submitOperatorActivity } from './operators/submitOperatorActivity.ts'
import { ensureRoot } from './organizations/ensureRoot.ts'
import { readProjects } from './organizations/trustedProjects.ts'
import { fetchKeySet } from './outbound.ts'
import { startPurge } from './purge.ts'
import { readQuery } from './readQuery.ts'
import { isStepUpOff, warnStepUp } from './stepUp.ts'

/**
 * Creates the custody API: `POST /public/v1/query/*` and `/public/v1/submit/*`. Accepts any content type, since the
 * stamp covers the exact bytes. Creates missing parent organizations first.
 */
export async function custodyApp(deps: CustodyDeps): Promise<Hono<Variables>> {
  const context = await createContext(deps)
  warnStepUp(deps)
  deps.onClose?.(startPurge(context, { onJump: deps.onJump }))
  const readOrigins = derive(
    () => context.projects,
    (projects) => new Set(projects.flatMap(({ allowedOrigins }) => allowedOrigins)),
  )
  const app = new Hono<Variables>()
  app.onError((error, http) => errorResponse(http, error, { logger: deps.logger, toBody: custodyErrorBody }))
  app.use('*', requestId())
  app.use('*', measureRequests('custody'))
  const allowCalls = cors({
    isAllowed: (origin) => readOrigins().has(origin),
    allowHeaders: [
      headers.apiKeyStamp,
      headers.webauthnStamp,
      readOnlySessionHeader,
      headers.clientVersion,
      'Content-Type',
    ],
  })
  // Pages of apps may neither read confirmations nor decide them.
  const confirmingOrigin = deps.confirmationUrl && new URL(deps.confirmationUrl).origin
  const allowDecisions = cors({
    isAllowed: (origin) => origin === confirmingOrigin,
    allowHeaders: ['Content-Type'],
  })
  app.use('/public/*', (http, next) =>
    (http.req.path.startsWith('/public/v1/confirmation/') ? allowDecisions : allowCalls)(http, next),
  )
  app.use('/public/*', findAddress(deps))
  app.use('/public/*', limitPerIp(context, 'requestsPerIp', 'custody', requestsPerIp))
  app.use(
    '/public/v1/confirmation/*',
    limitPerIp(context, 'confirmationReadsPerIp', 'confirmation', confirmationReadsPerIp),
  )
  for (const path of [custodyPaths.otpAuth, '/public/v1/submit/verify_otp'])
    app.use(path, limitPerIp(context, 'codesPerIp', 'otp_auth', codesPerIp))
  for (const [name, definition] of Object.entries(queries)) {
    const path = `/public/v1/query/${name}`
    app.post(path, async (http) => http.json(await readQuery(context, definition, { ...(await read(http)), path })))
  }
  for (const [name, definition] of Object.entries(submits))
    app.post(`/public/v1/submit/${name}`, async (http) =>
      http.json(await submitActivity(context, definition, await read(http))),
    )
  app.post(custodyPaths.resendConfirmation, async (http) =>
    http.json(await resendConfirmation(context, await read(http))),
  )
  app.post(custodyPaths.readConfirmation, async (http) => {
    const body = validate(readSchema, parseJson((await read(http)).body))
    return http.json({ confirmation: await readConfirmation(context, body) } satisfies ConfirmationResponse)
  })
  app.post(custodyPaths.decideConfirmation, async (http) => {
    const { body, requestId } = await read(http)
    const decided = validate(decideSchema, parseJson(body))
    const confirmation = await decideConfirmation({ ...context, find: findDefinition }, { ...decided, requestId })
    return http.json({ confirmation } satisfies ConfirmationResponse)
  })
  app.post(operatorActivitiesPath, async (http) => http.json(await submitOperatorActivity(context, await read(http))))
  app.all('*', ({ req }) => {
    throw unsupported(req.method, req.path)
  })
  return app
}

async function createContext(deps: CustodyDeps): Promise<submitActivity.Context> {
  const macKey = await ensureRoot(deps)
  const readTrusted = derive(() => deps.projects, readProjects)
  return {
    ...deps,
    rootOrganizationId: deps.rootOrganizationId.toLowerCase(),
    allowedSkewMs: deps.allowedSkewMs ?? defaultSkewMs,
    deletionGraceMs: deps.deletionGraceMs ?? deletionGraceMs,
    now: deps.now ?? Date.now,
    macKey,
    get projects() {
      return readTrusted()
    },
    get console() {
      return deps.console
    },
    keySets: createKeySets({ fetch: (url) => fetchKeySet(readTrusted(), url) }),
    isStepUpOff: (rootOrgId) => isStepUpOff(deps, rootOrgId),
    note: (note) => noteDone(deps.logger, { ...note, requestId: undefined }),
    countActivity,
    findApiKey: createBatcher((keys: readonly ApiKeyLookUp[]) => selectApiKeys(deps.db, keys)),
    record: createRecorder({ db: deps.db, macKey }),
    limits: createRequestLimits(deps.db, { waitMs: deps.turnWaitMs }),
  }
}

type Variables = {
  Variables: {
    clientIp: string | undefined
    asker: string | undefined
    body: Uint8Array | undefined
    requestId: string | undefined
  }
}

/**
 * Finds the client's IP address for rate limits. The signer API forwards its callers' IP addresses in a header signed
 * with the parent's key. The header is ignored from any other caller.
 */
function findAddress(deps: CustodyDeps): MiddlewareHandler<Variables> {
  const readSigned = createClientAddressReader(deps.rootApiPublicKey, deps.now ?? Date.now)
  return async (http, next) => {
    const header = http.req.header(clientAddressHeader)
    const body = header === undefined ? undefined : await readBody(http.req.raw, { maxBytes: maxBodyBytes })
    const signed = header === undefined || body === undefined ? undefined : readSigned(header, body)
    http.set('clientIp', signed ?? clientIp(http, deps))
    const isKnown = signed !== undefined && signed !== 'unknown'
    http.set('asker', isKnown ? createHash('sha256').update(signed).digest('base64url') : undefined)
    // A request body can be read only once.
    http.set('body', body)
    await next()
  }
}

function limitPerIp(
  { limits }: Pick<submitActivity.Context, 'limits'>,
  name: 'requestsPerIp' | 'confirmationReadsPerIp' | 'codesPerIp',
  keyStart: string,
  limit: Limit,
): MiddlewareHandler<Variables> {
  return rateLimit<Variables>({
    ...limit,
    name: `custody.${name}`,
    take: limits.take,
    key: ({ var: { clientIp } }) => clientIp && `${keyStart} ${clientIp}`,
  })
}

async function read({ req, var: { asker, body, requestId } }: Context<Variables>): Promise<StampedRequest> {
  const bytes = body ?? (await readBody(req.raw, { maxBytes: maxBodyBytes }))
  return { asker, headers: req.raw.headers, body: bytes, requestId }
}

function unsupported(method: string, path: string): ServerError {
  const [, kind, name = path] = /^\/public\/v1\/(query|submit)\/(.*)$/.exec(path) ?? []
  const call = name.slice(0, 100)
  if (Object.hasOwn(kind === 'query' ? queries : submits, name))
    return new ServerError(`${call} is called by POST, not by ${method}.`, {
      code: 'METHOD_NOT_SUPPORTED',
      status: 405,
    })
  if (kind === 'submit' && Object.hasOwn(refused, name))
    return custodyError('METHOD_NOT_SUPPORTED', `The call "${name}" is not served: ${refused[name]}.`)
  const names = [...Object.keys(queries), ...Object.keys(submits)].join(', ')
  return new ServerError(`The call ${JSON.stringify(call)} is not supported by this server. It supports ${names}.`, {
    code: 'METHOD_NOT_SUPPORTED',
    status: 404,
  })
}
