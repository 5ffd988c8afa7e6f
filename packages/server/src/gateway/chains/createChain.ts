import type { Logger } from '../../platform/observability/logger.ts'
import { createTurns } from '../createTurns.ts'
import { bounds } from '../gatewayLimits.ts'
import { createPriorityFeeReader } from '../methods/rundler_maxPriorityFeePerGas.ts'
import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import { createSchemes } from '../paymasters/schemes.ts'
import { createUpstream, type Upstream } from '../rpc/createUpstream.ts'
import type { ChainOptions } from './ChainOptions.ts'

/** What methods need of the chain that a call is for. Built once a chain. */
export type Chain = {
  chainId: number
  names: readonly string[]
  node: Upstream
  bundler: Upstream
  schemes: readonly PaymasterScheme[]
  /** Wei; see `rundler_maxPriorityFeePerGas`. */
  priorityFee: () => Promise<bigint>
  nativeCurrency: { name: string; symbol: string; decimals: number }
  /** Gas that a call which is only run may have. */
  maxCallGas: bigint
  maxLogBlocks: bigint
  /** Turns of what clients make the node run, by gas, and the bundler estimate, by count. */
  turns: Readonly<Record<'node' | 'bundler', createTurns.ReturnType>>
  /** Blocks on top of one that make it final. */
  confirmations: number
  /** How often to look for a new block while a client waits, in milliseconds. */
  pollMs: number
}

export function createChain(options: ChainOptions, logger?: Logger): Chain {
  const { chainId, names = [], nodeUrls, bundlerUrls, paymasters = {}, timeoutsMs } = options
  const common = { chainId, logger }
  const node = createUpstream({ ...common, kind: 'node', urls: nodeUrls, timeoutMs: timeoutsMs?.node ?? 10_000 })
  const bundler = createUpstream({
    ...common,
    kind: 'bundler',
    urls: bundlerUrls,
    timeoutMs: timeoutsMs?.bundler ?? 15_000,
  })
  return {
    chainId,
    names,
    node,
    bundler,
    schemes: createSchemes({ paymasters, chainId }),
    priorityFee: createPriorityFeeReader({ bundler, node }),
    nativeCurrency: options.nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
    maxCallGas: options.maxCallGas ?? bounds.callGas,
    maxLogBlocks: options.maxLogBlocks ?? bounds.logBlocks,
    turns: {
      node: createTurns(shares(Number(options.maxGasAtOnce ?? bounds.gasAtOnce))),
      bundler: createTurns(shares(bounds.estimatesAtOnce)),
    },
    confirmations: options.confirmations ?? 12,
    pollMs: options.pollMs ?? 500,
  }
}

/** A quarter is always left for other keys, and half of a key's for other addresses. */
function shares(total: number): createTurns.Options {
  const [perKey, perIp] = [Math.ceil(total * 0.75), Math.ceil(total * 0.5)]
  return { total, perKey, perIp, waiting: bounds.waitingCalls, waitMs: bounds.waitingMs }
}
