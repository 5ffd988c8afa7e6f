import { type Context, Hono } from 'hono'
import { errorCodes } from 'latchkey/wire'
import { clientIp } from '../http/clientIp.ts'
import { clientHeaders, cors } from '../http/cors.ts'
import type { JwtIssuer } from '../http/createJwtVerifier.ts'
import { toServerError } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import { parseJson, readBody } from '../http/requestBody.ts'
import type { ServiceSigner } from '../keys/serviceSigner.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import type { Db, Store } from '../store/openStore.ts'
import { listAllowedOrigins, originCheck } from '../store/projects.ts'
import { authenticate, cacheProjects } from './authenticate.ts'
import type { Caller } from './Caller.ts'
import type { ChainOptions } from './chains/ChainOptions.ts'
import type { Chain } from './chains/createChain.ts'
import { createChainFinder } from './chains/createChainFinder.ts'
import { createDispatch } from './createDispatch.ts'
import { bounds } from './limits.ts'
import { createOperations, type Operations } from './operations/createOperations.ts'
import { listenForOperations } from './operations/operationNews.ts'
import { startOperationJobs } from './operations/startOperationJobs.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'
import { runBatch } from './runBatch.ts'

export declare namespace gatewayApp {
  type Deps = {
    db: Db
    /** Issuers whose tokens authenticate a project. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    logger?: Logger | undefined
    chains: readonly ChainOptions[]
    /** Holds the paymasters' verifying key. */
    signer: ServiceSigner
    /** 32 bytes, from which the secrets of policies' webhooks are derived. */
    webhookKey?: Uint8Array | undefined
    /** See `clientIp`. @default 0 */
    trustedProxies?: number | undefined
    /**
     * Reads blocks and listens to news of operations on its own, until the closer is called.
     *
     * @default blocks are read while a request waits, and no other time
     */
    background?: { store: Store; onClose(closer: () => Promise<void>): void } | undefined
  }
  type ReturnType = Hono
}

/**
 * The gateway role: `POST /{chain}/v2/{apiKey}` in front of each chain's nodes and bundlers. Without `{chain}` the host
 * names it, or there is only one; without the key it is the bearer, as a JWT of the project's issuer may be.
 * JSON-RPC 2.0, one call or a batch of at most 50, a body of at most 1 MiB. Errors of a call are JSON-RPC errors with
 * status 200; a request that is refused as a whole gets 4xx and `{ code, message, error }`.
 */
export function gatewayApp(deps: gatewayApp.Deps): gatewayApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const chains = createChainFinder(deps.chains, logger)
  const operations = startOperations(deps, chains.all, logger)
  const dispatch = createDispatch({
    db: deps.db,
    operations,
    signer: deps.signer,
    webhookKey: deps.webhookKey,
    now: Date.now,
    logger,
  })
  const findProject = cacheProjects(createProjectFinder(deps.db, deps.jwt))

  async function handle(context: Context): Promise<Response> {
    const project = await authenticate(context, findProject)
    const { hostname } = new URL(context.req.url)
    const chain = chains.find({ segment: context.req.param('chain'), hostname })
    const ip = clientIp(context, deps.trustedProxies)
    const caller: Caller = { projectId: project.id, keyId: 'project', ip, signal: context.req.raw.signal }
    const body = parseJson(await readBody(context.req.raw, { maxBytes: bounds.bodyBytes }))
    if (Array.isArray(body) && (body.length === 0 || body.length > bounds.batchCalls))
      throw new RpcError(`A batch must hold 1 to ${bounds.batchCalls} calls; this one holds ${body.length}.`, {
        code: errorCodes.REQUEST_INVALID,
        rpcCode: rpcCodes.invalidRequest,
      })
    const text = await runBatch(body, (call, budget) => dispatch(call, { chain, caller, budget }))
    return context.body(text, 200, { 'content-type': 'application/json' })
  }

  /** The bearer only: a key in the URL of a stream would stay in logs of proxies. */
  async function stream(context: Context): Promise<Response> {
    const project = await authenticate(context, findProject)
    return operations.stream({
      projectId: project.id,
      ip: clientIp(context, deps.trustedProxies),
      lastEventId: context.req.header('last-event-id'),
      signal: context.req.raw.signal,
    })
  }

  const isAllowed = originCheck(() => listAllowedOrigins(deps.db))
  const app = new Hono({ strict: false })
  app.use('*', cors({ isAllowed, allowHeaders: [...clientHeaders, 'last-event-id'], allowMethods: ['POST', 'GET'] }))
  app.get('/v2/operations/events', stream)
  for (const path of ['/v2', '/v2/:apiKey', '/:chain/v2', '/:chain/v2/:apiKey']) app.post(path, handle)
  app.notFound((context) => {
    const message =
      'There is nothing here. POST JSON-RPC to /{chain}/v2/{apiKey}, or to /{chain}/v2 with the key as bearer; {chain}/ may be left out where one chain is served.'
    return context.json({ code: errorCodes.NOT_FOUND, message }, 404)
  })
  app.onError((error) => refuse(error, logger))
  return app
}

function startOperations({ db, background }: gatewayApp.Deps, chains: readonly Chain[], logger: Logger): Operations {
  if (!background) return createOperations({ db, chains, logger })
  const { store, onClose } = background
  const news = listenForOperations({ databaseUrl: store.databaseUrl, logger })
  const operations = createOperations({ db, chains, news, logger })
  const jobs = startOperationJobs({ store, chains, operations, logger })
  onClose(async () => {
    await operations.close()
    await jobs.close()
    await news.close()
  })
  return operations
}

/** `error` is for JSON-RPC clients, which show its message. */
function refuse(thrown: unknown, logger: Logger): Response {
  if (thrown instanceof RpcError)
    return Response.json({
      jsonrpc: '2.0',
      id: null,
      error: { code: thrown.rpcCode, message: thrown.message, data: thrown.data },
    })
  const { code, message, status } = toServerError(thrown, logger)
  const error = { code: toRpcCode(code, status), message, data: { code } }
  return Response.json({ code, message, jsonrpc: '2.0', id: null, error }, { status })
}

/** JSON-RPC 2.0 § 5.1. What is invalid here was no JSON: the dispatch judges a call that could be read. */
function toRpcCode(code: string, status: number): number {
  if (status >= 500) return rpcCodes.internal
  return code === errorCodes.REQUEST_INVALID ? rpcCodes.parseError : rpcCodes.invalidRequest
}
