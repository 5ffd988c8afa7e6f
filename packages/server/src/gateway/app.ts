import { type Context, Hono } from 'hono'
import { errorCodes } from 'latchkey/wire'
import { clientHeaders, cors } from '../http/cors.ts'
import type { JwtIssuer } from '../http/createJwtVerifier.ts'
import { toServerError } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import { parseJson, readBody } from '../http/requestBody.ts'
import type { ServiceSigner } from '../keys/serviceSigner.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import type { Db } from '../store/openStore.ts'
import { listAllowedOrigins, originCheck } from '../store/projects.ts'
import { authenticate, cacheProjects } from './authenticate.ts'
import { createDispatch } from './createDispatch.ts'
import { createPriorityFeeReader } from './methods/rundler_maxPriorityFeePerGas.ts'
import { createSchemes } from './paymasters/schemes.ts'
import { createUpstream } from './rpc/createUpstream.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'
import { defaultPolicies, insertSponsorship, type Policy } from './sponsorship.ts'

const maxBodyBytes = 1024 * 1024
const maxBatchLength = 50

export declare namespace gatewayApp {
  type Deps = {
    db: Db
    /** Issuers whose tokens authenticate a project. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    logger?: Logger | undefined
    /** May hold keys; never shown. */
    nodeUrl: string
    bundlerUrl: string
    chainId: number
    paymasters: createSchemes.Parameters['paymasters']
    /** Holds the paymasters' verifying key. */
    signer: ServiceSigner
    /** What the chain's own coin is called. @default Ether, ETH, 18 decimals */
    nativeCurrency?: { name: string; symbol: string; decimals: number } | undefined
    /** @default one policy, `default` */
    policies?: readonly Policy[] | undefined
    /** @default 10000 for the node, 15000 for the bundler */
    timeoutsMs?: { node?: number; bundler?: number } | undefined
  }
  type ReturnType = Hono
}

/**
 * The gateway role: `POST /v2/:apiKey`, or `POST /v2` with the key as bearer, in front of a chain node and a bundler.
 * JSON-RPC 2.0, one call or a batch of at most 50, a body of at most 1 MiB. Errors of a call are JSON-RPC errors with
 * status 200; a request that is refused as a whole gets 4xx and `{ code, message, error }`.
 */
export function gatewayApp(deps: gatewayApp.Deps): gatewayApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const dispatch = composeDispatch(deps, logger)
  const findProject = cacheProjects(createProjectFinder(deps.db, deps.jwt))

  async function handle(context: Context): Promise<Response> {
    const project = await authenticate(context, findProject)
    const body = parseJson(await readBody(context.req.raw, { maxBytes: maxBodyBytes }))
    if (!Array.isArray(body)) return context.json(await dispatch(body, project.id))
    if (body.length === 0 || body.length > maxBatchLength)
      throw new RpcError(`A batch must hold 1 to ${maxBatchLength} calls; this one holds ${body.length}.`, {
        code: errorCodes.REQUEST_INVALID,
        rpcCode: rpcCodes.invalidRequest,
      })
    return context.json(await Promise.all(body.map((call: unknown) => dispatch(call, project.id))))
  }

  const app = new Hono()
  app.use('*', cors({ isAllowed: originCheck(() => listAllowedOrigins(deps.db)), allowHeaders: clientHeaders }))
  app.post('/v2', handle)
  app.post('/v2/:apiKey', handle)
  app.notFound((context) => {
    const message = 'There is nothing here. POST JSON-RPC to /v2/{apiKey}, or to /v2 with the key as bearer.'
    return context.json({ code: errorCodes.NOT_FOUND, message }, 404)
  })
  app.onError((error) => refuse(error, logger))
  return app
}

function composeDispatch(deps: gatewayApp.Deps, logger: Logger): createDispatch.ReturnType {
  const { nodeUrl, bundlerUrl, timeoutsMs, chainId, paymasters } = deps
  const node = createUpstream({ kind: 'node', url: nodeUrl, timeoutMs: timeoutsMs?.node ?? 10_000 })
  const bundler = createUpstream({ kind: 'bundler', url: bundlerUrl, timeoutMs: timeoutsMs?.bundler ?? 15_000 })
  return createDispatch({
    node,
    bundler,
    sponsor: {
      node,
      bundler,
      schemes: createSchemes({ paymasters, chainId }),
      policies: deps.policies ?? defaultPolicies,
      signer: deps.signer,
      priorityFee: createPriorityFeeReader({ bundler, node }),
      now: Date.now,
    },
    nativeCurrency: deps.nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
    recordSponsorship: (projectId, row) => insertSponsorship(deps.db, { projectId, chainId, ...row }),
    logger,
  })
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
