import { type Address, decodeFunctionResult, encodeFunctionData, formatEther, type Hex, parseAbi } from 'viem'
import type { Logger } from '../../http/logger.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { bytes, parseResult } from '../rpc/values.ts'
import type { PaymasterScheme } from './PaymasterScheme.ts'

const abi = parseAbi([
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])

/** What a paymaster has at its entry point. */
export type PaymasterState = {
  entryPoint: Address
  paymaster: Address
  /** Wei. */
  deposit: bigint
  /** Wei. */
  stake: bigint
  /** False when there is no stake, or it is about to be taken out. */
  isStaked: boolean
}

/** undefined: an upstream service pays, and minds what its contract has. */
export async function readPaymaster(
  node: Upstream,
  { entryPoint, paymaster }: Pick<PaymasterScheme, 'entryPoint' | 'paymaster'>,
): Promise<PaymasterState | undefined> {
  if (!paymaster) return undefined
  const data = encodeFunctionData({ abi, functionName: 'getDepositInfo', args: [paymaster] })
  const result = parseResult(bytes, await node.call('eth_call', [{ to: entryPoint, data }, 'latest']), 'a deposit')
  const info = decodeFunctionResult({ abi, functionName: 'getDepositInfo', data: result as Hex })
  return { entryPoint, paymaster, deposit: info.deposit, stake: info.stake, isStaked: info.staked }
}

/** Below a tenth of the chain's coin a deposit is low: a few operations on a busy day. Wei. */
const lowDeposit = 10n ** 17n

/** What an operator should do about a paymaster; nothing when all is well. */
export function findPaymasterProblems({ deposit, isStaked }: PaymasterState): string[] {
  return [
    ...(deposit < lowDeposit ? [`its deposit is low, ${formatEther(deposit)}: deposit more (depositTo)`] : []),
    ...(isStaked ? [] : ['it is not staked, so bundlers may refuse it or limit its operations: addStake']),
  ]
}

export declare namespace watchPaymasters {
  type Parameters = {
    chains: readonly { chainId: number; node: Upstream; schemes: readonly PaymasterScheme[] }[]
    logger: Logger
    /** @default 60000 */
    intervalMs?: number | undefined
  }
  type ReturnType = { close(): Promise<void> }
}

/** Reads deposit and stake of every paymaster now and then. Warns when something is wrong, and says when it is not any more. */
export function watchPaymasters(parameters: watchPaymasters.Parameters): watchPaymasters.ReturnType {
  const { chains, logger, intervalMs = 60_000 } = parameters
  const watched = chains.flatMap(({ chainId, node, schemes }) =>
    schemes.map((scheme) => ({ chainId, node, scheme, known: '' })),
  )

  async function look(entry: (typeof watched)[number]): Promise<void> {
    const { chainId, node, scheme } = entry
    const state = await readPaymaster(node, scheme).catch((error: unknown) => {
      logger.warn({ chainId, error, paymaster: scheme.paymaster }, 'A paymaster’s deposit cannot be read.')
    })
    if (!state) return
    const problems = findPaymasterProblems(state).join('; ')
    const { paymaster, deposit, stake } = state
    const fields = { chainId, paymaster, deposit: deposit.toString(), stake: stake.toString() }
    if (problems !== '' && problems !== entry.known) logger.warn(fields, `A paymaster needs its operator: ${problems}.`)
    if (problems === '' && entry.known !== '') logger.info(fields, 'A paymaster is well again.')
    entry.known = problems
  }

  let running: Promise<unknown> = Promise.resolve()
  const round = () => {
    running = running.then(() => Promise.all(watched.map(look)))
  }
  round()
  const timer = setInterval(round, intervalMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
