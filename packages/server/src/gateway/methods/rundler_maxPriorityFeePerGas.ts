import { z } from 'zod'
import { min } from '../../platform/bigints.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { rpcCodes } from '../rpc/RpcError.ts'
import { parseResult, quantity } from '../rpc/values.ts'

export declare namespace createPriorityFeeReader {
  type Parameters = {
    bundler: Upstream
    node: Upstream
    /** Milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
  type ReturnType = () => Promise<bigint>
}

const cacheMs = 1_000

const riseMs = 600_000

const gasPriceSchema = z.object({ standard: z.object({ maxPriorityFeePerGas: quantity }) })

/**
 * Creates a reader for `rundler_maxPriorityFeePerGas`: the priority fee that the bundler accepts, in wei.
 *
 * Calls this method of the bundler, otherwise Alto's gas price method, otherwise the node's method. A method that the
 * bundler does not support is not tried again. Fees are cached for a second, since bundlers compute them for each call.
 *
 * Bundlers and nodes report the fees of the last blocks, and some clients (viem) send twice that fee. On a chain with
 * few other transactions, each operation would therefore raise the next one's fee. To prevent this, the fee rises by at
 * most an eighth in ten minutes while blocks have space and no higher fee is needed for inclusion.
 */
export function createPriorityFeeReader(parameters: createPriorityFeeReader.Parameters): () => Promise<bigint> {
  const { bundler, node, now = () => performance.now() } = parameters
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

  let settled: { fee: bigint; at: number } | undefined
  async function readSettledFee(): Promise<bigint> {
    const fee = await readFee()
    if (settled && fee > settled.fee && (await hasSpace(node))) {
      const isDue = now() - settled.at >= riseMs
      if (isDue) settled = { fee: min(fee, settled.fee + settled.fee / 8n), at: now() }
      return settled.fee
    }
    settled = { fee, at: now() }
    return fee
  }

  let latest: { fee: Promise<bigint>; until: number } | undefined
  return () => {
    if (latest && latest.until > now()) return latest.fee
    const entry = { fee: readSettledFee(), until: now() + cacheMs }
    latest = entry
    entry.fee.catch(() => {
      if (latest === entry) latest = undefined
    })
    return entry.fee
  }
}

const historySchema = z.object({ gasUsedRatio: z.array(z.number()).min(1) })

/** Returns whether all of the last blocks were at most half full; base fees rise only above that (EIP-1559). */
async function hasSpace(node: Upstream): Promise<boolean> {
  const outcome = await node.send('eth_feeHistory', ['0x5', 'latest', []])
  const history = 'result' in outcome ? historySchema.safeParse(outcome.result) : undefined
  return history?.success === true && history.data.gasUsedRatio.every((ratio) => ratio < 0.5)
}
