import { type Hex, numberToHex } from 'viem'
import { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { maxFeePerGas } from '../paymasters/gasValues.ts'
import { parseResult, quantity } from '../rpc/values.ts'

const blockSchema = z.object({ baseFeePerGas: quantity })

export declare namespace readGasPrice {
  type GasPrice = { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex }
  type ReturnType = { slow: GasPrice; standard: GasPrice; fast: GasPrice }
}

/** Serves `pimlico_getUserOperationGasPrice`: our estimated fees, equal for all speeds. */
export async function readGasPrice(chain: Pick<Chain, 'node' | 'priorityFee'>): Promise<readGasPrice.ReturnType> {
  const [tip, block] = await Promise.all([
    chain.priorityFee(),
    chain.node.call('eth_getBlockByNumber', ['latest', false]),
  ])
  const baseFee = BigInt(parseResult(blockSchema, block, 'a block').baseFeePerGas)
  const price = { maxFeePerGas: numberToHex(maxFeePerGas(baseFee, tip)), maxPriorityFeePerGas: numberToHex(tip) }
  return { slow: price, standard: price, fast: price }
}
