import { z } from 'zod'
import { address, parseParams, policyId } from '../rpc/values.ts'
import { requestGasAndPaymasterAndData } from './alchemy_requestGasAndPaymasterAndData.ts'

export const paramsSchema = z
  .tuple([z.record(z.string(), z.unknown()), address])
  .rest(z.object({ sponsorshipPolicyId: policyId.optional() }).nullish())
  .refine((params) => params.length <= 3, 'takes an operation, an entry point and a context')

const fees = ['maxFeePerGas', 'maxPriorityFeePerGas']

/**
 * Serves `pm_sponsorUserOperation`: gas and the paymaster's signature for an operation whose fees the client set.
 * Equivalent to `alchemy_requestGasAndPaymasterAndData` with these fees.
 * @throws the errors of {@link requestGasAndPaymasterAndData}.
 */
export async function sponsorUserOperation(
  context: requestGasAndPaymasterAndData.Context,
  params: unknown,
): Promise<requestGasAndPaymasterAndData.ReturnType> {
  const [userOperation, entryPoint, asked] = parseParams(paramsSchema, params, 'params')
  const overrides = Object.fromEntries(fees.flatMap((name) => toEntry(name, userOperation[name])))
  const { signature: dummySignature } = userOperation
  const request = { policyId: asked?.sponsorshipPolicyId, entryPoint, userOperation, dummySignature, overrides }
  return requestGasAndPaymasterAndData(context, [request])
}

/** Clients send zero or null for fields that are not set yet. */
function toEntry(name: string, value: unknown): [string, unknown][] {
  return value === undefined || value === null || /^0x0*$/.test(String(value)) ? [] : [[name, value]]
}
