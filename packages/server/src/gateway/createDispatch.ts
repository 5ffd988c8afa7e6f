import { errorCodes, gatewayMethods } from 'latchkey/wire'
import { numberToHex } from 'viem'
import { toServerError } from '../http/errorResponse.ts'
import type { Logger } from '../http/logger.ts'
import { requestGasAndPaymasterAndData } from './methods/alchemy_requestGasAndPaymasterAndData.ts'
import { requestPaymasterAndData } from './methods/alchemy_requestPaymasterAndData.ts'
import { simulateUserOperationAssetChanges } from './methods/alchemy_simulateUserOperationAssetChanges.ts'
import { estimateUserOperationGas } from './methods/eth_estimateUserOperationGas.ts'
import { bundlerMethods, nodeMethods } from './methods/forwardedMethods.ts'
import type { Upstream } from './rpc/createUpstream.ts'
import { parseCall, type RpcCall, type RpcId, type RpcOutcome, type RpcResponse, readId } from './rpc/jsonRpc.ts'
import { RpcError, type RpcErrorObject, rpcCodes, UpstreamError } from './rpc/RpcError.ts'
import type { signSponsorship } from './sponsorship.ts'

export declare namespace createDispatch {
  type Parameters = {
    node: Upstream
    bundler: Upstream
    /** What the sponsoring methods need, but for `record`, which knows the project. */
    sponsor: Omit<requestGasAndPaymasterAndData.Context, 'record'>
    nativeCurrency: simulateUserOperationAssetChanges.Context['nativeCurrency']
    recordSponsorship: (projectId: string, sponsorship: signSponsorship.Sponsorship) => Promise<void>
    logger: Logger
  }
  type ReturnType = (call: unknown, projectId: string) => Promise<RpcResponse>
}

/** Runs one JSON-RPC call: here, by the bundler or by the node. Never rejects; refusals are JSON-RPC errors. */
export function createDispatch(parameters: createDispatch.Parameters): createDispatch.ReturnType {
  const { node, bundler, sponsor, nativeCurrency, recordSponsorship, logger } = parameters

  async function run({ method, params }: RpcCall, projectId: string): Promise<RpcOutcome> {
    if (nodeMethods.has(method)) return node.send(method, params)
    if (bundlerMethods.has(method)) return bundler.send(method, params)
    const record = (row: signSponsorship.Sponsorship) => recordSponsorship(projectId, row)
    switch (method) {
      case 'eth_estimateUserOperationGas':
        return estimateUserOperationGas(sponsor, params)
      case gatewayMethods.maxPriorityFeePerGas:
        return { result: numberToHex(await sponsor.priorityFee()) }
      case gatewayMethods.requestGasAndPaymasterAndData:
        return { result: await requestGasAndPaymasterAndData({ ...sponsor, record }, params) }
      case gatewayMethods.requestPaymasterAndData:
        return { result: await requestPaymasterAndData({ ...sponsor, record }, params) }
      case gatewayMethods.simulateUserOperationAssetChanges:
        return { result: await simulateUserOperationAssetChanges({ node, nativeCurrency }, params) }
      default:
        throw new RpcError(`The method ${JSON.stringify(method)} is not available through this gateway.`, {
          code: errorCodes.METHOD_NOT_SUPPORTED,
          rpcCode: rpcCodes.methodNotFound,
        })
    }
  }

  return async (value, projectId) => {
    let id: RpcId = readId(value)
    let method: string | undefined
    try {
      const call = parseCall(value)
      id = call.id
      method = call.method
      return { jsonrpc: '2.0', id, ...(await run(call, projectId)) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: toRpcErrorObject(error, logger, { method, projectId }) }
    }
  }
}

function toRpcErrorObject(error: unknown, logger: Logger, fields: Record<string, unknown>): RpcErrorObject {
  if (error instanceof UpstreamError) return error.error
  if (error instanceof RpcError) {
    if (error.rpcCode === rpcCodes.unavailable || error.rpcCode === rpcCodes.paymasterDeposit)
      logger.warn({ ...fields, code: error.code }, error.message)
    return { code: error.rpcCode, message: error.message, data: error.data }
  }
  const { code, message } = toServerError(error, logger, fields)
  return { code: rpcCodes.internal, message, data: { code } }
}
