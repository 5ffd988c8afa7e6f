import { type Context, type Handler, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errorCodes } from 'latchkey-protocol'
import type { ServiceSigner } from '../keys/serviceSigner.ts'
import type { Db, Store } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { clientIp } from '../platform/http/clientIp.ts'
import { clientHeaders, cors } from '../platform/http/cors.ts'
import type { JwtIssuer } from '../platform/http/createJwtVerifier.ts'
import { toServerError } from '../platform/http/errorResponse.ts'
import { parseJson, readBody } from '../platform/http/requestBody.ts'
import { requestId } from '../platform/http/requestId.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { measureRequests } from '../platform/observability/metrics.ts'
import { noteRefusal } from '../platform/observability/securityEvents.ts'
import { readTrace } from '../platform/observability/traceId.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import type { LimitHit } from '../store/createEventStream.ts'
import { listAllowedOrigins, originCheck, type Project } from '../store/projects.ts'
import type { OperationRetention } from '../store/sweepOperations.ts'
import { authenticate, cacheProjects, requireChain, requireServerKey } from './authenticate.ts'
import type { Caller } from './Caller.ts'
import type { ChainOptions } from './chains/ChainOptions.ts'
import type { Chain } from './chains/createChain.ts'
import { createChainFinder } from './chains/createChainFinder.ts'
import { createDispatch, runBatch } from './createDispatch.ts'
import { createLimiter } from './createLimiter.ts'
import { bounds, countUnits, type GatewayLimits } from './gatewayLimits.ts'
import { createOperations, type Operations } from './operations/createOperations.ts'
import { listenForOperations } from './operations/operationNotifier.ts'
import { startOperationJobs } from './operations/startOperationJobs.ts'
import { watchPaymasters } from './paymasters/watchPaymasters.ts'
import { type RpcId, readId } from './rpc/jsonRpc.ts'
import { RpcError, rpcCodes, toErrorObject, withRequestId } from './rpc/RpcError.ts'
import { countRefusals } from './sponsorship/countRefusals.ts'
import { walletMethods } from './walletApi/walletMethods.ts'

export declare namespace gatewayApp {
  type Deps = {
    db: Db
    /** Issuers whose tokens authenticate a project. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    logger?: Logger | undefined
    chains: readonly ChainOptions[]
    /** Provides the paymasters' verifying key. */
    signer: ServiceSigner
    /** 32 bytes from which the policies' webhook secrets are derived. */
    webhookKey?: Uint8Array | undefined
    /** See `clientIp`. @default 0 */
    trustedProxies?: number | undefined
    /** See `clientIp`. @default false */
    exemptLoopback?: boolean | undefined
    /**
     * Reads blocks, listens for operation events and watches the paymasters in the background, until the closer is
     * called.
     * @default blocks are read only while a request waits
     */
    background?: { store: Store; onClose(closer: () => Promise<void>): void } | undefined
    /** Aborted when the server stops, to end waiting requests and streams. */
    draining?: AbortSignal | undefined
    /** Retention of the operation log, if a background job sweeps it. */
    retention?: OperationRetention | undefined
    /** The only projects that are served; read at each request. @default all projects in the database */
    projects?: readonly (Pick<Project, 'id'> & { allowedOrigins?: readonly string[] })[] | undefined
    /** The confirmation page, which may simulate operations with any project's key. @default none */
    confirmationUrl?: string | undefined
    /** Limits that override the defaults. */
    limits?: Partial<GatewayLimits> | undefined
    /** Called when a limit of a project, or of its gas policy, refuses a request. */
    onLimit?: ((hit: LimitHit) => void) | undefined
    /** Called once a minute while a paymaster's deposit or stake is too low. */
    onLowDeposit?: watchPaymasters.Parameters['onLow']
    /** Milliseconds since the epoch. @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = Hono<Variables>
}

/** JSON-RPC id of a request with a single call, for error responses. */
type Variables = { Variables: { id: RpcId; requestId: string | undefined } }

/**
 * Creates the gateway role: `POST /{chain}/v2/{apiKey}` in front of each chain's nodes and bundlers. Without `{chain}`
 * in the path, the host name selects the chain, or the server has only one. Without the key in the path, the bearer
 * token is the key or a JWT of the project's issuer. Accepts JSON-RPC 2.0: one call or a batch of at most 50, in a body
 * of at most 1 MiB. Errors of a call are JSON-RPC errors with status 200. A request that is refused as a whole receives
 * 4xx and `{ code, message, error }`.
 */
export function gatewayApp(deps: gatewayApp.Deps): gatewayApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const chains = createChainFinder(deps.chains, logger)
  const operations = startOperations(deps, chains.all, logger)
  const signer = deps.signer.address
  if (deps.background)
    deps.background.onClose(watchPaymasters({ chains: chains.all, signer, logger, onLow: deps.onLowDeposit }).close)
  const refusals = countRefusals({ db: deps.db, logger })
  deps.background?.onClose(refusals.close)
  const dispatch = createDispatch({
    db: deps.db,
    onRefusal: deps.background && refusals.note,
    operations,
    signer: deps.signer,
    webhookKey: deps.webhookKey,
    now: deps.now ?? Date.now,
    onLimit: deps.onLimit,
    logger,
  })
  const findProject = cacheProjects(createProjectFinder(deps.db, deps), { config: deps })
  const limiter = createLimiter({ db: deps.db, limits: deps.limits, onHit: deps.onLimit })
  const confirmingOrigin = deps.confirmationUrl && new URL(deps.confirmationUrl).origin
  const handle = createHandler({ chains, dispatch, findProject, limiter, address: deps, confirmingOrigin })

  /** Streams operation events. Accepts the API key only as bearer token, since proxies would log a key in the URL. */
  async function stream(context: Context): Promise<Response> {
    const ip = clientIp(context, deps)
    await limiter.takeRequest(ip)
    const project = await authenticate(context, findProject, { origin: context.req.header('origin') })
    requireServerKey(project)
    return operations.stream({
      projectId: project.id,
      ip,
      lastEventId: context.req.header('last-event-id'),
      signal: context.req.raw.signal,
    })
  }

  const isProjects = originCheck(() => listAllowedOrigins(deps.db), { readProjects: () => deps.projects })
  const isAllowed = async (origin: string) => origin === confirmingOrigin || isProjects(origin)
  const app = new Hono<Variables>({ strict: false })
  app.use('*', requestId())
  app.use('*', measureRequests('gateway'))
  app.use('*', cors({ isAllowed, allowHeaders: [...clientHeaders, 'last-event-id'], allowMethods: ['POST', 'GET'] }))
  app.get('/v2/operations/events', stream)
  for (const path of ['/v2', '/v2/:apiKey', '/:chain/v2', '/:chain/v2/:apiKey']) app.post(path, handle)
  app.notFound((context) => {
    const message =
      'There is nothing here. POST JSON-RPC to /{chain}/v2/{apiKey}, or to /{chain}/v2 with the key as bearer; {chain}/ may be left out where one chain is served.'
    return context.json({ code: errorCodes.NOT_FOUND, message }, 404)
  })
  app.onError((error, context) => refuse(context, error, logger))
  return app
}

type Parts = {
  chains: createChainFinder.ReturnType
  dispatch: createDispatch.ReturnType
  findProject: createProjectFinder.ReturnType
  limiter: createLimiter.ReturnType
  /** Options for finding a client's IP address. */
  address: clientIp.Options
  confirmingOrigin: string | undefined
}

function createHandler({
  chains,
  dispatch,
  findProject,
  limiter,
  address,
  confirmingOrigin,
}: Parts): Handler<Variables> {
  return async (context) => {
    const ip = clientIp(context, address)
    await limiter.takeRequest(ip)
    const origin = context.req.header('origin')
    const isConfirming = origin !== undefined && origin === confirmingOrigin
    const project = await authenticate(context, findProject, { origin: isConfirming ? undefined : origin })
    const place = { segment: context.req.param('chain'), hostname: new URL(context.req.url).hostname }
    const chain = chains.find(place)
    if (chain) requireChain(project, chain.chainId)
    const body = parseJson(await readBody(context.req.raw, { maxBytes: bounds.bodyBytes }))
    const calls = readCalls(body)
    if (isConfirming && !calls.every(isSimulation)) refuseConfirming()
    if (!chain && !calls.some(isWalletCall)) chains.refuse()
    if (!Array.isArray(body)) context.set('id', readId(body))
    const { key } = project
    const keyId = key?.id ?? `project ${project.id}`
    const caller: Caller = { projectId: project.id, keyId, key, ip, signal: context.req.raw.signal }
    await limiter.takeCalls(caller, {
      calls: calls.length,
      units: countUnits(calls, chain?.maxCallGas ?? bounds.callGas),
    })
    const { requestId } = context.var
    const trace = readTrace((name) => context.req.header(name))
    let retryAfterMs = 0
    const onRetryAfter = (ms: number) => {
      retryAfterMs = Math.max(retryAfterMs, ms)
    }
    const text = await runBatch(body, (call, budget) =>
      dispatch(call, {
        chain,
        chains: chain ? [chain] : chains.all,
        caller,
        budget,
        trace: { requestId, ...trace },
        onRetryAfter,
      }),
    )
    const headers = { 'content-type': 'application/json', ...retryAfterHeader(retryAfterMs) }
    // A batch gets status 200, since some of its calls may have succeeded.
    return context.body(text, retryAfterMs > 0 && !Array.isArray(body) ? 429 : 200, headers)
  }
}

const readMethod = (call: unknown) =>
  typeof call === 'object' && call !== null && 'method' in call ? String(call.method) : undefined
const isWalletCall = (call: unknown) => walletMethods.has(readMethod(call) ?? '')
const isSimulation = (call: unknown) => readMethod(call) === 'alchemy_simulateUserOperationAssetChanges'

function refuseConfirming(): never {
  throw new ServerError('The confirmation page may only simulate operations.', {
    code: errorCodes.ORIGIN_NOT_ALLOWED,
    status: 403,
  })
}

function startOperations(
  { db, background, retention, draining }: gatewayApp.Deps,
  chains: readonly Chain[],
  logger: Logger,
): Operations {
  if (!background) return createOperations({ db, chains, draining, logger })
  const { store, onClose } = background
  const notifier = listenForOperations({ databaseUrl: store.databaseUrl, logger })
  const operations = createOperations({ db, chains, notifier, draining, logger })
  const jobs = startOperationJobs({ store, chains, operations, retention, logger })
  onClose(async () => {
    await operations.close()
    await jobs.close()
    await notifier.close()
  })
  return operations
}

/**
 * Returns the calls of a request.
 *
 * @throws `REQUEST_INVALID` for a batch that is empty or too long.
 */
function readCalls(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) return [body]
  if (body.length > 0 && body.length <= bounds.batchCalls) return body
  throw new RpcError(`A batch must hold 1 to ${bounds.batchCalls} calls; this one holds ${body.length}.`, {
    code: errorCodes.REQUEST_INVALID,
    rpcCode: rpcCodes.invalidRequest,
  })
}

/**
 * Sends an error response; JSON-RPC clients show the message of `error`. Does not log the path, which may contain an
 * API key.
 */
function refuse(context: Context<Variables>, thrown: unknown, logger: Logger): Response {
  const { id = null, requestId } = context.var
  const fields = { requestId, ...readTrace((name) => context.req.header(name)) }
  const isRpc = thrown instanceof RpcError
  const { code, message, status, retryAfterMs } = isRpc ? thrown : toServerError(thrown, logger, fields)
  noteRefusal(logger, { code, ...fields })
  if (isRpc) return context.json({ jsonrpc: '2.0', id, error: toErrorObject(thrown) })
  const error = { code: toRpcCode(code, status), message, data: withRequestId({ code }) }
  const headers = retryAfterHeader(retryAfterMs ?? 0)
  return context.json({ code, message, jsonrpc: '2.0', id, error }, status as ContentfulStatusCode, headers)
}

/** Returns a `Retry-After` header in whole seconds, rounded up (RFC 9110 § 10.2.3). */
function retryAfterHeader(ms: number): Record<string, string> {
  return ms > 0 ? { 'retry-after': String(Math.ceil(ms / 1000)) } : {}
}

/**
 * Maps an error to its JSON-RPC 2.0 § 5.1 code. `REQUEST_INVALID` means invalid JSON here; the dispatcher checks parsed
 * calls.
 */
function toRpcCode(code: string, status: number): number {
  if (status >= 500) return rpcCodes.internal
  if (status === 429) return rpcCodes.limitExceeded
  return code === errorCodes.REQUEST_INVALID ? rpcCodes.parseError : rpcCodes.invalidRequest
}
