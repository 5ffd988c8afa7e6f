import { type ErrorCode, errorCodes, gatewayMethods } from 'latchkey-protocol'
import { numberToHex } from 'viem'
import { toServerError } from '../platform/http/errorResponse.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { noteRefusal } from '../platform/observability/securityEvents.ts'
import type { Trace } from '../platform/observability/traceId.ts'
import { requireMethod } from './authenticate.ts'
import type { Caller } from './Caller.ts'
import type { Chain } from './chains/createChain.ts'
import { bounds } from './gatewayLimits.ts'
import { requestGasAndPaymasterAndData } from './methods/alchemy_requestGasAndPaymasterAndData.ts'
import { requestPaymasterAndData } from './methods/alchemy_requestPaymasterAndData.ts'
import { simulateUserOperationAssetChanges } from './methods/alchemy_simulateUserOperationAssetChanges.ts'
import { estimateUserOperationGas } from './methods/eth_estimateUserOperationGas.ts'
import { sendUserOperation } from './methods/eth_sendUserOperation.ts'
import { bundlerMethods, nodeMethods, passedToBundler } from './methods/forwardedMethods.ts'
import { prepareUserOperation } from './methods/latchkey_prepareUserOperation.ts'
import { waitForUserOperation } from './methods/latchkey_waitForUserOperation.ts'
import { readGasPrice } from './methods/pimlico_getUserOperationGasPrice.ts'
import { getPaymasterData, getPaymasterStubData } from './methods/pm_getPaymasterData.ts'
import { sponsorUserOperation } from './methods/pm_sponsorUserOperation.ts'
import { readNode } from './methods/readNode.ts'
import type { Operations } from './operations/createOperations.ts'
import { type ByteBudget, createByteBudget } from './rpc/byteBudget.ts'
import { parseCall, type RpcCall, type RpcId, type RpcOutcome, type RpcResponse, readId } from './rpc/jsonRpc.ts'
import { RpcError, type RpcErrorObject, rpcCodes, toErrorObject, UpstreamError, withRequestId } from './rpc/RpcError.ts'
import { parseParams } from './rpc/values.ts'
import type { Refusal } from './sponsorship/countRefusals.ts'
import type { Sponsor } from './sponsorship/sponsorOperation.ts'
import { walletMethods } from './walletApi/walletMethods.ts'

export declare namespace createDispatch {
  type Parameters = Sponsor & {
    operations: Operations
    /** Called for each call that is refused or fails here, but not for errors of an upstream. */
    onRefusal?: ((refusal: Refusal) => void) | undefined
  }
  /** `budget`: maximum bytes of all responses to the request. */
  type Context = {
    /** Undefined if the URL does not select a chain. Then only calls that specify their chain are served. */
    chain: Chain | undefined
    /** Chains that the URL allows. */
    chains: readonly Chain[]
    caller: Caller
    budget?: ByteBudget | undefined
    /** For log lines. */
    trace?: Trace & { requestId?: string | undefined }
    /** Called with the milliseconds to wait when an upstream rate-limits us. */
    onRetryAfter?: ((ms: number) => void) | undefined
  }
  type ReturnType = (call: unknown, context: Context) => Promise<RpcResponse>
}

/**
 * Creates a function that runs one JSON-RPC call: locally, on the chain's bundler or on its node. Never rejects;
 * refusals are JSON-RPC errors.
 */
export function createDispatch(parameters: createDispatch.Parameters): createDispatch.ReturnType {
  const { db, operations, logger } = parameters

  async function run({ method, params: given }: RpcCall, context: createDispatch.Context): Promise<RpcOutcome> {
    const { chain, chains, caller, budget } = context
    const walletMethod = walletMethods.get(method)
    if (walletMethod) return { result: await walletMethod({ ...parameters, chains, caller }, given) }
    if (!chain) throw chainNotNamed()
    const { bundler } = chain
    if (nodeMethods.has(method)) return readNode({ chain, caller, method, params: given, budget })
    const schema = bundlerMethods.get(method)
    const params = schema ? parseParams(schema, given, 'params') : given
    if (passedToBundler.has(method)) return bundler.send(method, params, { budget })
    const sponsored = sponsorMethods.get(method)
    if (sponsored) return { result: await sponsored({ ...parameters, chain, caller }, params) }
    switch (method) {
      case 'eth_sendUserOperation':
        return sendUserOperation({ db, chain, operations, caller, logger }, params)
      case gatewayMethods.waitForUserOperation:
        return { result: await waitForUserOperation({ chain, operations, caller }, params) }
      case 'eth_estimateUserOperationGas':
        return estimateUserOperationGas({ chain, caller }, params)
      case gatewayMethods.maxPriorityFeePerGas:
      // The node reports fees that the last bundles paid. A client that adds to them would outbid its own previous fee.
      case gatewayMethods.nodeMaxPriorityFeePerGas:
        return { result: numberToHex(await chain.priorityFee()) }
      case gatewayMethods.gasPrice:
        return { result: await readGasPrice(chain) }
      case gatewayMethods.simulateUserOperationAssetChanges:
        return { result: await preview({ chain, caller }, params) }
      default:
        throw new RpcError(
          `The method ${shownMethod(method)}is not available through this gateway.${otherWay(method)}`,
          {
            code: errorCodes.METHOD_NOT_SUPPORTED,
            rpcCode: rpcCodes.methodNotFound,
          },
        )
    }
  }

  async function preview({ chain, caller }: { chain: Chain; caller: Caller }, params: unknown): Promise<unknown> {
    return chain.run.node(caller, Number(chain.maxCallGas), () => simulateUserOperationAssetChanges(chain, params))
  }

  return async (value, context) => {
    let id: RpcId = readId(value)
    let method: string | undefined
    try {
      const call = parseCall(value)
      id = call.id
      method = call.method
      requireMethod(context.caller.key?.methods, method)
      return { jsonrpc: '2.0', id, ...(await run(call, context)) }
    } catch (error) {
      const { chain, caller, trace, onRetryAfter } = context
      if (error instanceof RpcError && error.retryAfterMs !== undefined) onRetryAfter?.(error.retryAfterMs)
      const ids = { projectId: caller.projectId, chainId: chain?.chainId, requestId: trace?.requestId, ...trace }
      const fields = { method: nameMethod(method), ...ids }
      const onRefusal = (code: ErrorCode) => parameters.onRefusal?.({ projectId: caller.projectId, code })
      return { jsonrpc: '2.0', id, error: toRpcErrorObject(error, { logger, fields, onRefusal }) }
    }
  }
}

type SponsorMethod = (context: Sponsor & { chain: Chain; caller: Caller }, params: unknown) => Promise<unknown>

/** Methods that may sign for a paymaster. */
const sponsorMethods: ReadonlyMap<string, SponsorMethod> = new Map<string, SponsorMethod>([
  [gatewayMethods.requestGasAndPaymasterAndData, requestGasAndPaymasterAndData],
  [gatewayMethods.requestPaymasterAndData, requestPaymasterAndData],
  [gatewayMethods.sponsorUserOperation, sponsorUserOperation],
  [gatewayMethods.getPaymasterStubData, getPaymasterStubData],
  [gatewayMethods.getPaymasterData, (context, params) => getPaymasterData(context, context.chain, params)],
  [gatewayMethods.prepareUserOperation, prepareUserOperation],
])

/** Returns the method's name if it is known. Clients can send any text, and only known names may be logged. */
function nameMethod(method: string | undefined): string | undefined {
  const isKnown = (name: string) => nodeMethods.has(name) || bundlerMethods.has(name) || walletMethods.has(name)
  return method !== undefined && isKnown(method) ? method : undefined
}

function chainNotNamed(): RpcError {
  return new RpcError('The URL names no chain, and this call needs one. POST it to /{chain}/v2.', {
    code: errorCodes.CHAIN_NOT_FOUND,
    rpcCode: rpcCodes.invalidRequest,
  })
}

type Fields = { requestId: string | undefined } & Record<string, unknown>

type Refused = { logger: Logger; fields: Fields; onRefusal(code: ErrorCode): void }

function toRpcErrorObject(error: unknown, { logger, fields, onRefusal }: Refused): RpcErrorObject {
  if (error instanceof UpstreamError) return error.error
  if (error instanceof RpcError) {
    noteRefusal(logger, { code: error.code, ...fields })
    onRefusal(error.code)
    if (error.rpcCode === rpcCodes.unavailable || error.rpcCode === rpcCodes.paymasterDeposit)
      logger.warn({ ...fields, code: error.code }, error.message)
    return toErrorObject(error)
  }
  const { code, message } = toServerError(error, logger, fields)
  noteRefusal(logger, { code, ...fields })
  onRefusal(code)
  return { code: rpcCodes.internal, message, data: withRequestId({ code }) }
}

function otherWay(method: string): string {
  if (!method.startsWith('zd_')) return ''
  return ' Configure the client for an ERC-7677 paymaster, which calls pm_getPaymasterStubData and pm_getPaymasterData.'
}

/** Returns the name of a method for error messages. Does not repeat other text, since it may be a misplaced secret. */
function shownMethod(method: string): string {
  return /^_{0,2}[a-z]{1,30}(?:_[a-z]{1,40}\d{0,2}){0,2}_{0,2}$/i.test(method) ? `${JSON.stringify(method)} ` : ''
}

export declare namespace runBatch {
  type Run = (call: unknown, budget: ByteBudget) => Promise<RpcResponse>
}

/**
 * Returns the responses to a batch in order, as JSON, or the single response to one call. Some calls run concurrently.
 * All responses share one byte budget, and responses beyond the budget become errors.
 */
export async function runBatch(body: unknown, run: runBatch.Run): Promise<string> {
  const reading = createByteBudget(bounds.responseBytes)
  const writing = createByteBudget(bounds.responseBytes)
  const calls: unknown[] = Array.isArray(body) ? body : [body]
  const texts: string[] = new Array(calls.length)
  let next = 0

  async function work(): Promise<void> {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index]
      texts[index] = serialize(call, await run(call, reading), writing)
    }
  }

  await Promise.all(Array.from({ length: Math.min(bounds.batchConcurrency, calls.length) }, work))
  return Array.isArray(body) ? `[${texts.join(',')}]` : (texts[0] ?? '')
}

function serialize(call: unknown, response: RpcResponse, writing: ByteBudget): string {
  const text = JSON.stringify(response)
  // Always includes errors, which are short and explain missing results.
  if ('error' in response) return text
  try {
    writing.take(text.length)
    return text
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return JSON.stringify({ jsonrpc: '2.0', id: readId(call), error: toErrorObject(error) })
  }
}
