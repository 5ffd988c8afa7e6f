import { gatewayMethods } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { isUnknownMethod } from '../client/gatewaySupport.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleGasField } from '../userOperation/gasValues.ts'
import { capPriorityFee, paysItself } from './capCosts.ts'
import type { Middleware, MiddlewareClient } from './types.ts'

/**
 * Sets fees from the latest block and the bundler. The priority fee is the reported one; the maximum fee is base fee x
 * 1.5, rounded up, plus the priority fee. Applies overrides and fee options to both.
 *
 * @throws `BASE_FEE_MISSING` on a chain without EIP-1559, `COST_TOO_HIGH`.
 */
export const estimateFees: Middleware = async (draft, context) => {
  const { client, overrides, feeOptions } = context
  const [baseFee, reported] = await Promise.all([readBaseFee(client), readPriorityFee(client)])
  if (await paysItself(draft, context)) capPriorityFee(reported, baseFee, context)
  const maxPriorityFeePerGas = settleGasField({
    value: reported,
    override: overrides.maxPriorityFeePerGas,
    option: feeOptions.maxPriorityFeePerGas,
  })
  const maxFeePerGas = settleGasField({
    // The base fee can rise for three full blocks before it exceeds this maximum.
    value: (baseFee * 3n + 1n) / 2n + maxPriorityFeePerGas,
    override: overrides.maxFeePerGas,
    option: feeOptions.maxFeePerGas,
  })
  return { ...draft, maxPriorityFeePerGas, maxFeePerGas }
}

/** Returns the latest block's base fee. @throws `BASE_FEE_MISSING`. */
export async function readBaseFee(client: MiddlewareClient): Promise<bigint> {
  const action = 'Could not read the latest block.'
  const block = await rpc(client, { method: 'eth_getBlockByNumber', params: ['latest', false], action })
  const baseFee = readObject(block, action).baseFeePerGas
  if (baseFee !== undefined && baseFee !== null) return readQuantity(baseFee, action)
  throw new BaseError('baseFeePerGas is null', {
    code: 'BASE_FEE_MISSING',
    metaMessages: ['The chain has no EIP-1559 fees. Pass `feeEstimator`.'],
  })
}

async function readPriorityFee(client: MiddlewareClient): Promise<bigint> {
  const action = 'Could not read the priority fee.'
  const request = (method: string) => rpc(client, { method, params: [], action })
  const fee = await request(gatewayMethods.maxPriorityFeePerGas).catch((error: unknown) => {
    // Plain nodes and bundlers lack the provider's method.
    if (isUnknownMethod(error)) return request('eth_maxPriorityFeePerGas')
    throw error
  })
  return readQuantity(fee, action)
}
