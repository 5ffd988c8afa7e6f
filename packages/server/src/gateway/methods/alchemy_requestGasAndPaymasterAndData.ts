import type { GasOverrides } from 'latchkey-protocol'
import type { Hex } from 'viem'
import { z } from 'zod'
import { findScheme } from '../paymasters/schemes.ts'
import type { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, gasOverrides, parseParams, policyIds } from '../rpc/values.ts'
import { sponsorOperation } from '../sponsorship/sponsorOperation.ts'

export const paramsSchema = z.tuple([
  z.object({
    policyId: policyIds.optional(),
    entryPoint: address,
    userOperation: z.record(z.string(), z.unknown()),
    dummySignature: bytes,
    overrides: gasOverrides.default({}),
  }),
])

export declare namespace requestGasAndPaymasterAndData {
  type Context = sponsorOperation.Context
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError | UpstreamError
}

/**
 * Serves `alchemy_requestGasAndPaymasterAndData`: fees, gas and the paymaster's signature for one operation, in one
 * request.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, and the errors of {@link sponsorOperation}.
 */
export async function requestGasAndPaymasterAndData(
  context: requestGasAndPaymasterAndData.Context,
  params: unknown,
): Promise<requestGasAndPaymasterAndData.ReturnType> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const scheme = findScheme(context.chain.schemes, request.entryPoint)
  const open = await scheme.open(request.userOperation, request.dummySignature as Hex)
  const operation = { open, overrides: request.overrides as GasOverrides }
  const sponsored = await sponsorOperation(context, { policyId: request.policyId, scheme, operation })
  return { ...sponsored.paymasterFields, ...sponsored.gasFields }
}
