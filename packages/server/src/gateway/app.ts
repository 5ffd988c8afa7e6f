import { type Context, Hono } from 'hono'
import { errorCodes } from 'latchkey/wire'
import type { Address } from 'viem'
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction'
import { cors } from '../http/cors.ts'
import type { JwtIssuer } from '../http/createJwtVerifier.ts'
import { toServerError } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import { parseJson, readBody } from '../http/requestBody.ts'
import type { ServiceSigner } from '../keys/serviceSigner.ts'
import { authorizeProject, createProjectFinder } from '../store/authorizeProject.ts'
import type { Db } from '../store/openStore.ts'
import { listAllowedOrigins, originCheck, type Project } from '../store/projects.ts'
import { rememberProjects } from './access/rememberProjects.ts'
import { createDispatch } from './createDispatch.ts'
import { createPriorityFeeReader } from './methods/rundler_maxPriorityFeePerGas.ts'
import { scheme06 } from './paymasters/scheme06.ts'
import { scheme07 } from './paymasters/scheme07.ts'
import type { PaymasterScheme } from './paymasters/types.ts'
import { defaultPolicies, type Policy } from './policies/findPolicy.ts'
import { createUpstream } from './rpc/createUpstream.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'
import { insertSponsorship } from './sponsorships/insertSponsorship.ts'

const maxBodyBytes = 1024 * 1024
const maxBatchLength = 50
const allowHeaders = ['authorization', 'content-type', 'alchemy-aa-sdk-version', 'alchemy-aa-sdk-signer']

export declare namespace gatewayApp {
  type Deps = {
    db: Db
    /** Issuers whose tokens stand for a project. @default none */
    jwt?: readonly JwtIssuer[] | undefined
    logger?: Logger | undefined
    /** May hold keys; never shown. */
    nodeUrl: string
    bundlerUrl: string
    chainId: number
    /** VerifyingPaymaster contracts by EntryPoint version. A version without one is not sponsored. */
    paymasters: { '0.6.0'?: Address | undefined; '0.7.0'?: Address | undefined }
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
 * status 200; a request that is not let in gets 4xx and `{ code, message, error }`.
 */
export function gatewayApp(deps: gatewayApp.Deps): gatewayApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const dispatch = composeDispatch(deps, logger)
  const findProject = rememberProjects(createProjectFinder(deps.db, deps.jwt))

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
  app.use('*', cors({ isAllowed: originCheck(() => listAllowedOrigins(deps.db)), allowHeaders }))
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
  const { nodeUrl, bundlerUrl, timeoutsMs, chainId } = deps
  const node = createUpstream({ kind: 'node', url: nodeUrl, timeoutMs: timeoutsMs?.node ?? 10_000 })
  const bundler = createUpstream({ kind: 'bundler', url: bundlerUrl, timeoutMs: timeoutsMs?.bundler ?? 15_000 })
  const schemes: PaymasterScheme[] = []
  const paymaster06 = deps.paymasters['0.6.0']
  if (paymaster06) schemes.push(scheme06({ entryPoint: entryPoint06Address, paymaster: paymaster06, chainId }))
  const paymaster07 = deps.paymasters['0.7.0']
  if (paymaster07) schemes.push(scheme07({ entryPoint: entryPoint07Address, paymaster: paymaster07, chainId }))
  return createDispatch({
    node,
    bundler,
    sponsor: {
      node,
      bundler,
      schemes,
      policies: deps.policies ?? defaultPolicies,
      signer: deps.signer,
      priorityFee: createPriorityFeeReader({ bundler, node }),
      now: Date.now,
    },
    nativeCurrency: deps.nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
    keepSponsorship: (projectId, row) => insertSponsorship(deps.db, { projectId, chainId, ...row }),
    logger,
  })
}

/** The project of the API key in the path or the bearer header; its page's origin must be registered. */
function authenticate(context: Context, find: createProjectFinder.ReturnType): Promise<Project> {
  return authorizeProject({
    find,
    apiKey: context.req.param('apiKey'),
    authorization: context.req.header('authorization'),
    origin: context.req.header('origin'),
    hint: 'Send it in the path (/v2/{apiKey}) or as bearer.',
  })
}

/** `error` is there for JSON-RPC clients, which show its message. */
function refuse(thrown: unknown, logger: Logger): Response {
  if (thrown instanceof RpcError)
    return Response.json({
      jsonrpc: '2.0',
      id: null,
      error: { code: thrown.rpcCode, message: thrown.message, data: thrown.data },
    })
  const { code, message, status } = toServerError(thrown, logger)
  const rpcCode = numberOf(code, status)
  return Response.json(
    { code, message, jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data: { code } } },
    { status },
  )
}

/** JSON-RPC 2.0 § 5.1. What is invalid here was no JSON: a call that is read is judged by the dispatch. */
function numberOf(code: string, status: number): number {
  if (status >= 500) return rpcCodes.internal
  return code === errorCodes.REQUEST_INVALID ? rpcCodes.parseError : rpcCodes.invalidRequest
}
