import { errorCodes } from 'latchkey-protocol'
import { createScheduler } from '../../platform/limits/createScheduler.ts'
import { countLimit } from '../../platform/limits/limitNames.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Caller } from '../Caller.ts'
import { bounds } from '../gatewayLimits.ts'
import { createPriorityFeeReader } from '../methods/rundler_maxPriorityFeePerGas.ts'
import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import { createSchemes } from '../paymasters/schemes.ts'
import { createUpstream, type Upstream } from '../rpc/createUpstream.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import type { ChainOptions } from './ChainOptions.ts'

/** Dependencies of the methods on a call's chain. Created once per chain. */
export type Chain = {
  chainId: number
  names: readonly string[]
  node: Upstream
  bundler: Upstream
  schemes: readonly PaymasterScheme[]
  /** Wei; see `rundler_maxPriorityFeePerGas`. */
  priorityFee: () => Promise<bigint>
  nativeCurrency: { name: string; symbol: string; decimals: number }
  /** Gas limit of a simulated call. */
  maxCallGas: bigint
  maxLogBlocks: bigint
  /** Fair schedulers for expensive calls: node calls are weighted by gas, bundler estimates weigh 1. */
  run: Readonly<Record<'node' | 'bundler', RunFor>>
  /** Number of later blocks after which a block counts as final. */
  confirmations: number
  /** Milliseconds between checks for a new block while a client waits. */
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
    run: {
      node: runFor(Number(options.maxGasAtOnce ?? bounds.gasAtOnce)),
      bundler: runFor(bounds.estimatesAtOnce),
    },
    confirmations: options.confirmations ?? 12,
    pollMs: options.pollMs ?? 500,
  }
}

type RunFor = <result>(caller: Caller, weight: number, work: () => Promise<result>) => Promise<result>

/**
 * Creates a scheduler that reserves a quarter of the capacity for other API keys, and half of a key's share for the
 * key's other IP addresses.
 */
function runFor(total: number): RunFor {
  const schedule = createScheduler({
    total,
    perGroup: Math.ceil(total * 0.75),
    perMember: Math.ceil(total * 0.5),
    waiting: bounds.waitingCalls,
    waitMs: bounds.waitingMs,
    refuse: tooManyAtOnce,
  })
  return ({ projectId, keyId, ip, signal }, weight, work) =>
    schedule({ group: `${projectId} ${keyId}`, member: ip ?? '', weight, signal }, work)
}

function tooManyAtOnce(): RpcError {
  countLimit('gateway.turns')
  return new RpcError('Too many calls that run code wait here at once. Try again in a moment.', {
    code: errorCodes.RATE_LIMIT_EXCEEDED,
    rpcCode: rpcCodes.limitExceeded,
    retryAfterMs: 1_000,
  })
}
