import { readCalls } from 'latchkey-protocol'
import type { Address, Hex } from 'viem'
import { max } from '../../platform/bigints.ts'
import type { Policy } from '../../store/ledger/policies.ts'
import type { PolicyRules } from '../../store/ledger/policyRules.ts'
import { multiply } from '../paymasters/gasValues.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import { type CheckedOperation, checkFactory } from './checkSender.ts'
import { policyRefused } from './refusalErrors.ts'

export declare namespace checkRules {
  type Parameters = {
    policy: Policy
    chainId: number
    operation: CheckedOperation
    /** Milliseconds since the epoch. */
    now: number
  }
}

/**
 * Checks the rules of a policy that need neither an estimate nor the chain. `checkSender` checks the rules that read
 * the chain. @throws `POLICY_REFUSED`, with the name of the rule.
 */
export function checkRules({ policy, chainId, operation, now }: checkRules.Parameters): void {
  const { paused, rules } = policy
  const { sender, factory } = operation
  if (paused) throw policyRefused('paused', 'it is paused. Its operator can resume it.')
  if (rules.chains && !rules.chains.includes(chainId)) throw policyRefused('chains', `chain ${chainId} is not listed.`)
  if (rules.validFrom && now < Date.parse(rules.validFrom))
    throw policyRefused('validFrom', `it begins at ${rules.validFrom}.`)
  if (rules.validUntil && now >= Date.parse(rules.validUntil))
    throw policyRefused('validUntil', `it ended at ${rules.validUntil}.`)
  if (rules.senders && !includes(rules.senders, sender))
    throw policyRefused('senders', `the sender ${sender} is not listed.`)
  if (factory && rules.factories && !includes(rules.factories, factory))
    throw policyRefused('factories', `the factory ${factory} is not listed.`)
  if (rules.targets) {
    if (factory) checkFactory(factory, operation)
    checkTargets(rules.targets, operation.callData)
  }
}

function checkTargets(targets: NonNullable<PolicyRules['targets']>, callData: Hex): void {
  const calls = readCalls(callData)
  if (!calls)
    throw policyRefused(
      'targets',
      'it names contracts that may be called, and the call data has no form that tells them. Use execute or executeBatch.',
    )
  for (const { to, data } of calls) {
    const listed = targets.filter(({ address }) => address === to)
    if (listed.length === 0) throw policyRefused('targets', `calls to ${to} are not listed.`, { target: to })
    const selector = data.slice(0, 10).toLowerCase()
    if (!listed.some(({ selectors }) => !selectors || selectors.some((one) => one === selector)))
      throw policyRefused('targets', `calls of ${selector} on ${to} are not listed.`, { target: to, selector })
  }
}

const includes = (list: readonly Address[], address: Address) => list.includes(address.toLowerCase() as Address)

export declare namespace checkPrices {
  type Parameters = {
    /** Gas and fees that the paymaster's signature would cover. */
    gas: GasFields
    /** Returns the gateway's own values, from an estimate and current prices. */
    quote: (fees: Fees) => GasFields
    fees: Fees
    /** Tip in wei that is accepted even if the market's tip is lower. Included in the market's highest fee. */
    floor: bigint
    /** Highest allowed tip in wei (see {@link limitTip}). */
    highestTip: bigint
    rules: Pick<PolicyRules, 'factors' | 'limits'>
  }
}

/**
 * Refuses an operation with a gas or fee field above the gateway's own value times the policy's factor, or with more
 * gas than the policy pays for. Without this check, the paymaster's deposit could be drained: unused gas is not free,
 * and the bundler, who may be the caller, receives tip and `preVerificationGas` in full. Absolute values are never
 * lowered, since the account signs these fields.
 *
 * @throws `POLICY_REFUSED`, naming field and limit.
 */
export function checkPrices({ gas, quote, fees, floor, highestTip, rules }: checkPrices.Parameters): void {
  const market = quote({ baseFee: fees.baseFee, tip: fees.tip > floor ? fees.tip : floor })
  for (const [field, value] of Object.entries(gas).sort(byCause)) {
    const factor = readFactor(rules.factors, field)
    const isTip = field === 'maxPriorityFeePerGas'
    const limit = isTip ? highestTip : multiply(market[field] ?? 0n, factor)
    if (value <= limit) continue
    const of = isTip ? "the market's, or 10 percent more than a fee it replaces" : "the gateway's own value"
    throw policyRefused(
      `factors.${field}`,
      `${field} is ${value}, and it pays for at most ${limit} now: ${factor} times ${of}. Lower it, or leave it to the gateway.`,
      { field, value: String(value), limit: String(limit) },
    )
  }
  checkGas(gas, rules.limits.operation.gas)
}

function checkGas(fields: GasFields, limit: number): void {
  const gas = Object.entries(fields).reduce((sum, [field, value]) => sum + (isFee(field) ? 0n : value), 0n)
  if (gas <= BigInt(limit)) return
  throw policyRefused(
    'limits.operation.gas',
    `its gas limits sum up to ${gas}, and it pays for at most ${limit} in one operation. Split the calls into several operations.`,
    { value: String(gas), limit: String(limit) },
  )
}

const isFee = (field: string) => field === 'maxFeePerGas' || field === 'maxPriorityFeePerGas'

/** Sorts the tip before the maximum fee, since a fee that is too high may result from the tip. */
function byCause([a]: [string, bigint], [b]: [string, bigint]): number {
  return Number(a === 'maxFeePerGas') - Number(b === 'maxFeePerGas')
}

function readFactor(factors: Readonly<Record<string, number>>, field: string): number {
  return factors[field] ?? 1
}

/** Number of replacements of a nonce that may each raise its tip, and the factor of each. */
const maxRaises = 3
const raiseFactor = 1.1

/** Highest tip signed for a nonce in the last half hour. */
export type PriorTip = {
  wei: bigint
  /** Number of consecutive replacements whose tip was accepted only because it raised the previous one. */
  raises: number
  /** Time at which the tip before these replacements was within the market's limit. */
  pricedAt: Date
}

export declare namespace limitTip {
  type Parameters = {
    /** Market's tip in wei. */
    market: bigint
    /** Factor of the market's tip that the policy allows. */
    factor: number
    /** Tip in wei that is accepted even if the market's tip is lower. */
    floor: bigint
    prior: PriorTip | undefined
  }
  type ReturnType = {
    /** Highest tip in wei. */
    highest: bigint
    /** Converts an allowed tip for the ledger. */
    toSigned(tip: bigint): { wei: bigint; raises: number; pricedAt: Date | undefined }
  }
}

/**
 * Returns the highest priority fee that the paymaster pays for one nonce. The market limits the tip, since a caller who
 * bundles its own operation keeps the tip. Each of three replacements may add 10 percent to the tip last signed for the
 * nonce, even if the market has fallen.
 */
export function limitTip({ market, factor, floor, prior }: limitTip.Parameters): limitTip.ReturnType {
  const allowed = max(multiply(market, factor), floor)
  const raised = prior && (prior.raises < maxRaises ? multiply(prior.wei, raiseFactor) : prior.wei)
  return {
    highest: max(allowed, raised ?? 0n),
    toSigned(tip) {
      if (!prior || tip <= allowed) return { wei: tip, raises: 0, pricedAt: undefined }
      return { wei: tip, raises: prior.raises + Number(tip > prior.wei), pricedAt: prior.pricedAt }
    },
  }
}
