import type { Hex } from 'viem'
import { z } from 'zod'
import { findScheme } from '../paymasters/schemes.ts'
import type { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, parseParams, policyIds } from '../rpc/values.ts'
import { sponsorOperation } from '../sponsorship/sponsorOperation.ts'

export const paramsSchema = z.tuple([
  z.object({
    policyId: policyIds.optional(),
    entryPoint: address,
    userOperation: z.record(z.string(), z.unknown()),
  }),
])

export declare namespace requestPaymasterAndData {
  type Context = sponsorOperation.Context
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError | UpstreamError
}

/**
 * Serves `alchemy_requestPaymasterAndData`: the paymaster's signature for an operation whose gas and fees the client
 * set.
 * Returns `paymasterAndData` for entry point 0.6; for 0.7 `paymaster`, `paymasterData` and the paymaster's two limits,
 * which the signature covers.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, and the errors of {@link sponsorOperation}.
 */
export async function requestPaymasterAndData(
  context: requestPaymasterAndData.Context,
  params: unknown,
): Promise<requestPaymasterAndData.ReturnType> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const scheme = findScheme(context.chain.schemes, request.entryPoint)
  const operation = { filled: await scheme.openFilled(request.userOperation) }
  const { paymasterFields } = await sponsorOperation(context, { policyId: request.policyId, scheme, operation })
  return paymasterFields
}
