import type { Hex } from 'viem'
import { z } from 'zod'
import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import { findScheme } from '../paymasters/schemes.ts'
import type { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, parseParams, parseResult, quantity } from '../rpc/values.ts'
import { findPolicy, type Policy, readDeposit, signSponsorship, validityAt } from '../sponsorship.ts'

const paramsSchema = z.tuple([
  z.object({
    policyId: z.string().min(1).max(128),
    entryPoint: address,
    userOperation: z.record(z.string(), z.unknown()),
  }),
])
const blockSchema = z.object({ timestamp: quantity })

export declare namespace requestPaymasterAndData {
  type Context = signSponsorship.Context & {
    schemes: readonly PaymasterScheme[]
    policies: readonly Policy[]
    /** Milliseconds since the epoch. */
    now: () => number
  }
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError | UpstreamError
}

/**
 * `alchemy_requestPaymasterAndData`: the paymaster's signature for one operation whose gas and fees the client settled.
 * Returns `paymasterAndData` for entry point 0.6; for 0.7 `paymaster`, `paymasterData` and the paymaster's two limits,
 * which the signature covers.
 *
 * @throws `POLICY_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `REQUEST_INVALID`, `PAYMASTER_DEPOSIT_LOW`.
 */
export async function requestPaymasterAndData(
  context: requestPaymasterAndData.Context,
  params: unknown,
): Promise<requestPaymasterAndData.ReturnType> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const policy = findPolicy(context.policies, request.policyId)
  const scheme = findScheme(context.schemes, request.entryPoint)
  const operation = await scheme.openFilled(request.userOperation)
  const [latest, deposit] = await Promise.all([
    context.node.call('eth_getBlockByNumber', ['latest', false]),
    readDeposit(context.node, scheme),
  ])
  const block = parseResult(blockSchema, latest, 'a block')
  const validity = validityAt(context.now(), Number(block.timestamp))
  const settled = operation.settle(validity)
  return signSponsorship(context, { policy, scheme, operation, settled, validity, deposit })
}
