import { z } from 'zod'
import { quantity } from '../paymasters/quantities.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseParams } from '../rpc/parseParams.ts'
import { rpcCodes } from '../rpc/RpcError.ts'

export declare namespace createPriorityFeeReader {
  type Parameters = { bundler: Upstream; node: Upstream }
  type ReturnType = () => Promise<bigint>
}

const gasPriceSchema = z.object({ standard: z.object({ maxPriorityFeePerGas: quantity }) })

/**
 * `rundler_maxPriorityFeePerGas`: the priority fee the bundler will accept, in wei.
 *
 * Asks the bundler by that method, else by the gas price method of Alto, else asks the node. What the bundler does not
 * know it is not asked again.
 */
export function createPriorityFeeReader(parameters: createPriorityFeeReader.Parameters): () => Promise<bigint> {
  const { bundler, node } = parameters
  const questions = new Map<string, (result: unknown) => string>([
    ['rundler_maxPriorityFeePerGas', (result) => parseParams(quantity, result, 'priority fee')],
    [
      'pimlico_getUserOperationGasPrice',
      (result) => parseParams(gasPriceSchema, result, 'gas price').standard.maxPriorityFeePerGas,
    ],
  ])

  return async () => {
    for (const [method, read] of questions) {
      const outcome = await bundler.send(method, [])
      if ('result' in outcome) return BigInt(read(outcome.result))
      if (outcome.error.code === rpcCodes.methodNotFound) questions.delete(method)
    }
    return BigInt(parseParams(quantity, await node.call('eth_maxPriorityFeePerGas', []), 'priority fee'))
  }
}
