import type { GasOverrides } from 'latchkey/wire'
import type { Hex } from 'viem'
import { z } from 'zod'
import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import { findScheme } from '../paymasters/schemes.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { type RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, gasOverrides, parseParams, parseResult, quantity } from '../rpc/values.ts'
import { depositLow, findPolicy, type Policy, readDeposit, signSponsorship, validityAt } from '../sponsorship.ts'

const paramsSchema = z.tuple([
  z.object({
    policyId: z.string().min(1).max(128),
    entryPoint: address,
    userOperation: z.record(z.string(), z.unknown()),
    dummySignature: bytes,
    overrides: gasOverrides.default({}),
  }),
])
const blockSchema = z.object({ baseFeePerGas: quantity, timestamp: quantity })

export declare namespace requestGasAndPaymasterAndData {
  type Context = signSponsorship.Context & {
    bundler: Upstream
    schemes: readonly PaymasterScheme[]
    policies: readonly Policy[]
    /** Wei; see `rundler_maxPriorityFeePerGas`. */
    priorityFee: () => Promise<bigint>
    /** Milliseconds since the epoch. */
    now: () => number
  }
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError | UpstreamError
}

/**
 * `alchemy_requestGasAndPaymasterAndData`: fees, gas and the paymaster's signature for one operation, in one request.
 * Requests that do not depend on each other are sent at once; then one call for the digest.
 *
 * @throws `POLICY_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `REQUEST_INVALID`, `MULTIPLIER_INVALID`, `PAYMASTER_DEPOSIT_LOW`,
 * and the bundler's own error when it refuses the estimate.
 */
export async function requestGasAndPaymasterAndData(
  context: requestGasAndPaymasterAndData.Context,
  params: unknown,
): Promise<requestGasAndPaymasterAndData.ReturnType> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const policy = findPolicy(context.policies, request.policyId)
  const scheme = findScheme(context.schemes, request.entryPoint)
  const operation = await scheme.open(request.userOperation, request.dummySignature as Hex)

  const { estimate, block, tip, deposit } = await askUpstreams(context, scheme, operation.estimateRequest)
  const validity = validityAt(context.now(), Number(block.timestamp))
  const fees = { baseFee: BigInt(block.baseFeePerGas), tip }
  const settled = operation.settle(estimate, fees, request.overrides as GasOverrides, validity)
  const paymasterFields = await signSponsorship(context, { policy, scheme, operation, settled, validity, deposit })
  return { ...paymasterFields, ...settled.gasFields }
}

async function askUpstreams(
  { node, bundler, priorityFee }: requestGasAndPaymasterAndData.Context,
  scheme: PaymasterScheme,
  estimateRequest: Record<string, Hex>,
) {
  const [estimate, block, tip, deposit] = await Promise.all([
    bundler.send('eth_estimateUserOperationGas', [estimateRequest, scheme.entryPoint]),
    node.call('eth_getBlockByNumber', ['latest', false]),
    priorityFee(),
    readDeposit(node, scheme),
  ])
  if ('error' in estimate) {
    // EntryPoint 0.6 and 0.7: AA31 is "paymaster deposit too low".
    if (/\bAA31\b/.test(estimate.error.message)) throw depositLow(scheme, deposit)
    throw new UpstreamError(estimate.error)
  }
  return { estimate: estimate.result, block: parseResult(blockSchema, block, 'a block'), tip, deposit }
}
