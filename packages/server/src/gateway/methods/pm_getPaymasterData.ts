import { errorCodes, type PaymasterDataResult } from 'latchkey-protocol'
import { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { findScheme } from '../paymasters/schemes.ts'
import { RpcError, rpcCodes, type UpstreamError } from '../rpc/RpcError.ts'
import { address, parseParams, policyIds, quantity } from '../rpc/values.ts'
import { checkSponsorship, type sponsorOperation } from '../sponsorship/sponsorOperation.ts'
import { requestPaymasterAndData } from './alchemy_requestPaymasterAndData.ts'

const contextSchema = z.object({ policyId: policyIds.optional() })
export const paramsSchema = z
  .tuple([z.record(z.string(), z.unknown()), address, quantity])
  .rest(contextSchema.nullish())
  .refine((params) => params.length <= 4, 'takes an operation, an entry point, a chain id and a context')

type Request = {
  policyId: string | readonly string[] | undefined
  entryPoint: string
  userOperation: Record<string, unknown>
}

/**
 * Serves `pm_getPaymasterData` (ERC-7677): the paymaster's signature for an operation whose gas and fees the client
 * set. Equivalent to `alchemy_requestPaymasterAndData`, with the same refusals; on entry point 0.7 the result includes
 * the two limits that the signature covers.
 *
 * @throws `CHAIN_MISMATCH`, and the errors of {@link requestPaymasterAndData}.
 */
export async function getPaymasterData(
  context: requestPaymasterAndData.Context,
  { chainId }: Pick<Chain, 'chainId'>,
  params: unknown,
): Promise<requestPaymasterAndData.ReturnType> {
  return requestPaymasterAndData(context, [readRequest(chainId, params)])
}

export declare namespace getPaymasterStubData {
  type ReturnType = PaymasterDataResult
  type ErrorType = RpcError | UpstreamError
}

/**
 * Serves `pm_getPaymasterStubData` (ERC-7677): the paymaster fields for an estimate or a preview. Signs and reserves
 * nothing, but refuses operations that the policy would not pay for.
 *
 * @throws `CHAIN_MISMATCH`, `ENTRY_POINT_NOT_FOUND`, and the errors of {@link checkSponsorship}.
 */
export async function getPaymasterStubData(
  context: sponsorOperation.Context,
  params: unknown,
): Promise<Record<string, `0x${string}`>> {
  const { entryPoint, userOperation, policyId } = readRequest(context.chain.chainId, params)
  const scheme = findScheme(context.chain.schemes, entryPoint)
  const operation = await scheme.open(userOperation, '0x')
  await checkSponsorship(context, { policyId, scheme, operation })
  return scheme.stub(userOperation, context.now())
}

function readRequest(chainId: number, params: unknown): Request {
  const [userOperation, entryPoint, asked, context] = parseParams(paramsSchema, params, 'params')
  if (BigInt(asked) !== BigInt(chainId))
    throw new RpcError(`This URL serves chain ${chainId}, and the paymaster was asked for chain ${BigInt(asked)}.`, {
      code: errorCodes.CHAIN_MISMATCH,
      rpcCode: rpcCodes.invalidParams,
    })
  return { policyId: context?.policyId, entryPoint, userOperation: withoutEmpty(userOperation) }
}

/** Removes empty fields, since clients mark absent fields in different ways. */
function withoutEmpty(userOperation: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(userOperation).filter(([, value]) => value !== null))
}
