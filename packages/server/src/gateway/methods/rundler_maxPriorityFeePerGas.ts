import { z } from 'zod'
import type { Upstream } from '../rpc/createUpstream.ts'
import { rpcCodes } from '../rpc/RpcError.ts'
import { parseResult, quantity } from '../rpc/values.ts'

export declare namespace createPriorityFeeReader {
  type Parameters = {
    bundler: Upstream
    node: Upstream
    /** Milliseconds. @default Date.now */
    now?: (() => number) | undefined
  }
  type ReturnType = () => Promise<bigint>
}

const cacheMs = 1_000

const gasPriceSchema = z.object({ standard: z.object({ maxPriorityFeePerGas: quantity }) })

/**
 * `rundler_maxPriorityFeePerGas`: the priority fee the bundler will accept, in wei.
 *
 * Asks the bundler by that method, else by the gas price method of Alto, else the node. A method that the bundler does not
 * know is not tried again. A fee is cached for a second, since bundlers compute it for each call.
 */
export function createPriorityFeeReader(parameters: createPriorityFeeReader.Parameters): () => Promise<bigint> {
  const { bundler, node, now = Date.now } = parameters
  const methods = new Map<string, (result: unknown) => string>([
    ['rundler_maxPriorityFeePerGas', (result) => parseResult(quantity, result, 'a priority fee')],
    [
      'pimlico_getUserOperationGasPrice',
      (result) => parseResult(gasPriceSchema, result, 'a gas price').standard.maxPriorityFeePerGas,
    ],
  ])

  async function readFee(): Promise<bigint> {
    for (const [method, read] of methods) {
      const outcome = await bundler.send(method, [])
      if ('result' in outcome) return BigInt(read(outcome.result))
      if (outcome.error.code === rpcCodes.methodNotFound) methods.delete(method)
    }
    return BigInt(parseResult(quantity, await node.call('eth_maxPriorityFeePerGas', []), 'a priority fee'))
  }

  let latest: { fee: Promise<bigint>; until: number } | undefined
  return () => {
    if (latest && latest.until > now()) return latest.fee
    const entry = { fee: readFee(), until: now() + cacheMs }
    latest = entry
    entry.fee.catch(() => {
      if (latest === entry) latest = undefined
    })
    return entry.fee
  }
}
