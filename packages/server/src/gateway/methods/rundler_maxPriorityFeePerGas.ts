import { z } from 'zod'
import { quantity } from '../paymasters/quantities.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseAnswer } from '../rpc/parseAnswer.ts'
import { rpcCodes } from '../rpc/RpcError.ts'

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
 * Asks the bundler by that method, else by the gas price method of Alto, else asks the node. What the bundler does not
 * know it is not asked again. An answer serves for a second, since bundlers work it out anew each time.
 */
export function createPriorityFeeReader(parameters: createPriorityFeeReader.Parameters): () => Promise<bigint> {
  const { bundler, node, now = Date.now } = parameters
  const questions = new Map<string, (result: unknown) => string>([
    ['rundler_maxPriorityFeePerGas', (result) => parseAnswer(quantity, result, 'a priority fee')],
    [
      'pimlico_getUserOperationGasPrice',
      (result) => parseAnswer(gasPriceSchema, result, 'a gas price').standard.maxPriorityFeePerGas,
    ],
  ])

  async function ask(): Promise<bigint> {
    for (const [method, read] of questions) {
      const outcome = await bundler.send(method, [])
      if ('result' in outcome) return BigInt(read(outcome.result))
      if (outcome.error.code === rpcCodes.methodNotFound) questions.delete(method)
    }
    return BigInt(parseAnswer(quantity, await node.call('eth_maxPriorityFeePerGas', []), 'a priority fee'))
  }

  let latest: { fee: Promise<bigint>; until: number } | undefined
  return () => {
    if (latest && latest.until > now()) return latest.fee
    const asked = { fee: ask(), until: now() + cacheMs }
    latest = asked
    asked.fee.catch(() => {
      if (latest === asked) latest = undefined
    })
    return asked.fee
  }
}
