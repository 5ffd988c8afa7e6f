import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  formatEther,
  getAddress,
  type Hex,
  parseAbi,
} from 'viem'
import type { Logger } from '../../platform/observability/logger.ts'
import { metrics } from '../../platform/observability/metrics.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { bytes, parseResult } from '../rpc/values.ts'
import type { PaymasterScheme } from './PaymasterScheme.ts'
import { findVersion } from './schemes.ts'

const abi = parseAbi([
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
])
/**
 * Functions that return a signer. Our contract has the first two; the second returns zero unless the signer is being
 * changed. The sample contract has only the last.
 */
const signerAbi = parseAbi([
  'function signer() view returns (address)',
  'function nextSigner() view returns (address)',
  'function verifyingSigner() view returns (address)',
])

/** Deposit, stake and signers of a paymaster at its entry point. */
export type PaymasterState = {
  entryPoint: Address
  paymaster: Address
  /** Wei. */
  deposit: bigint
  /** Wei. */
  stake: bigint
  /** False if there is no stake, or if it is being withdrawn. */
  isStaked: boolean
  /** Seconds the stake stays locked after an unlock. */
  unstakeDelaySeconds: number
  /** Addresses whose signatures the contract accepts; empty if the contract does not reveal them. */
  signers: readonly Address[]
}

/** Reads a paymaster's state. Returns undefined if an upstream service pays and maintains its own contract. */
export async function readPaymaster(
  node: Upstream,
  { entryPoint, paymaster }: Pick<PaymasterScheme, 'entryPoint' | 'paymaster'>,
): Promise<PaymasterState | undefined> {
  if (!paymaster) return undefined
  const data = encodeFunctionData({ abi, functionName: 'getDepositInfo', args: [paymaster] })
  const result = parseResult(bytes, await node.call('eth_call', [{ to: entryPoint, data }, 'latest']), 'a deposit')
  const info = decodeFunctionResult({ abi, functionName: 'getDepositInfo', data: result as Hex })
  return {
    entryPoint,
    paymaster,
    deposit: info.deposit,
    stake: info.stake,
    isStaked: info.staked,
    unstakeDelaySeconds: info.unstakeDelaySec,
    signers: await readSigners(node, paymaster),
  }
}

async function readSigners(node: Upstream, paymaster: Address): Promise<Address[]> {
  const read = async ({ name }: (typeof signerAbi)[number]): Promise<Address[]> => {
    const data = encodeFunctionData({ abi: signerAbi, functionName: name })
    const outcome = await node.send('eth_call', [{ to: paymaster, data }, 'latest'])
    // If a contract lacks the function, the call reverts or returns nothing.
    const word = 'result' in outcome ? /^0x0{24}([0-9a-f]{40})$/i.exec(String(outcome.result)) : null
    return word && !/^0+$/.test(word[1] ?? '') ? [getAddress(`0x${word[1]}`)] : []
  }
  return (await Promise.all(signerAbi.map(read))).flat()
}

/**
 * Wei below which a deposit or stake counts as low: a tenth of the native coin, enough for a few operations on a busy
 * day.
 */
const lowAmount = 10n ** 17n
/** ERC-7562 MIN_UNSTAKE_DELAY. */
const leastUnstakeDelaySeconds = 86_400

/** Returns the problems of a paymaster that an operator should fix. `signer`: address that signs for the paymaster. */
export function findPaymasterProblems(state: PaymasterState, signer: Address): string[] {
  const { deposit, stake, isStaked, unstakeDelaySeconds, signers } = state
  const problems: (readonly [isSo: boolean, text: string])[] = [
    [
      signers.length > 0 && !signers.includes(signer),
      `it takes signatures of ${signers.join(' and ')}, and this gateway's key is ${signer}: every operation would be refused (AA34). Configure the key of its signer, or rotate the contract's (startSignerRotation)`,
    ],
    [deposit < lowAmount, `its deposit is low, ${formatEther(deposit)}: deposit more (depositTo)`],
    [!isStaked, 'it is not staked, so bundlers may refuse it or limit its operations: addStake'],
    [isStaked && stake < lowAmount, `its stake is low, ${formatEther(stake)}: bundlers may want more (addStake)`],
    [
      isStaked && unstakeDelaySeconds < leastUnstakeDelaySeconds,
      `its stake can be taken out after ${unstakeDelaySeconds} seconds, and bundlers want ${leastUnstakeDelaySeconds}: addStake with a longer delay`,
    ],
  ]
  return problems.flatMap(([isSo, text]) => (isSo ? [text] : []))
}

export declare namespace watchPaymasters {
  type Parameters = {
    chains: readonly { chainId: number; node: Upstream; schemes: readonly PaymasterScheme[] }[]
    /** Address of the gateway's key. */
    signer: Address
    logger: Logger
    onLow?: ((low: { chainId: number; state: PaymasterState; lowBelow: bigint }) => void) | undefined
    /** @default 60000 */
    intervalMs?: number | undefined
  }
  type ReturnType = { close(): Promise<void> }
}

/**
 * Polls signer, deposit and stake of every paymaster. Logs a warning for each problem, and a message when the problem
 * is resolved.
 */
export function watchPaymasters(parameters: watchPaymasters.Parameters): watchPaymasters.ReturnType {
  const { chains, signer, logger, intervalMs = 60_000 } = parameters
  const watched = chains.flatMap(({ chainId, node, schemes }) =>
    schemes.map((scheme) => ({ chainId, node, scheme, known: '' })),
  )

  async function look(entry: (typeof watched)[number]): Promise<void> {
    const { chainId, node, scheme } = entry
    const state = await readPaymaster(node, scheme).catch((error: unknown) => {
      logger.warn({ chainId, error, paymaster: scheme.paymaster }, 'A paymaster’s deposit cannot be read.')
    })
    if (!state) return
    const problems = findPaymasterProblems(state, signer).join('; ')
    const { entryPoint, paymaster, deposit, stake } = state
    const version = findVersion(entryPoint) ?? entryPoint
    metrics.paymasterDeposit.set({ chain: chainId, entry_point: version }, Number(formatEther(deposit)))
    if (deposit < lowAmount) parameters.onLow?.({ chainId, state, lowBelow: lowAmount })
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
