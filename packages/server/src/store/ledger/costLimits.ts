import { max, min } from '../../platform/bigints.ts'
import type { PolicyRules, PolicyRulesInput } from './policyRules.ts'

/** Costs in wei of the chain's coin. */
type Costs = {
  /** Highest cost of one operation. */
  operation: bigint
  /** Cost of a policy per day. */
  policyDay: bigint
  /** Lowest tip that published clients send. */
  tipFloor: bigint
}

const layer1: Costs = { operation: 5n * 10n ** 16n, policyDay: 5n * 10n ** 18n, tipFloor: 100_000_000n }
const layer2: Costs = { operation: 10n ** 15n, policyDay: 10n ** 17n, tipFloor: 100_000_000n }
const arbitrum: Costs = { ...layer2, tipFloor: 10_000_000n }
/** Chains with a coin of about a dollar or less. */
const cheapCoin: Costs = { operation: 10n ** 18n, policyDay: 10n ** 20n, tipFloor: 100_000_000n }

/** Chains with other costs than `layer1`. */
const kinds = [
  { costs: arbitrum, chainIds: [42161, 421613, 421614] },
  {
    costs: layer2,
    chainIds: [
      10, 130, 252, 324, 480, 2522, 2523, 8453, 34443, 42170, 57073, 59144, 81457, 84532, 534352, 7777777, 11155420,
      999999999,
    ],
  },
  { costs: cheapCoin, chainIds: [137, 80001, 80002] },
]
const costsByChain: ReadonlyMap<number, Costs> = new Map(
  kinds.flatMap(({ costs, chainIds }) => chainIds.map((chainId) => [chainId, costs] as const)),
)

/** Share of a policy's daily cost that one client address may spend. */
const ipShare = 5n
/** Shares of a policy's daily cost, and of its rest, that one client address may reserve without sending. */
const unsentShare = 100n
const unsentShareOfRest = 20n

export declare namespace costLimits {
  type Parameters = {
    rules: Pick<PolicyRules, 'limits' | 'open'>
    chainId: number
    /** Wei of the policy's daily cost that others have spent or reserved. */
    spent: bigint
  }
  /** Highest costs in wei on one chain. */
  type ReturnType = {
    operation: bigint
    policyDay: bigint
    keyDay: bigint
    ipDay: bigint
    /** Reserved for one client address and not sent. */
    unsent: bigint
  }
}

/**
 * Returns the costs that a policy allows on a chain. Every policy has them: an API key is public, and whoever bundles
 * an operation keeps its tip, so a daily cost is also the highest daily loss.
 */
export function costLimits({ rules, chainId, spent }: costLimits.Parameters): costLimits.ReturnType {
  const { limits, open } = rules
  const costs = costsOf(chainId)
  const total = read(limits.policy?.total?.cost)
  const policyDay = read(limits.policy?.day?.cost) ?? min(costs.policyDay, total ?? costs.policyDay)
  const ownOperation = read(limits.operation.cost)
  const operation = ownOperation ?? costs.operation
  const rest = max(policyDay - spent, 0n)
  return {
    operation,
    policyDay,
    keyDay: read(limits.key?.day?.cost) ?? policyDay,
    ipDay: read(limits.ip?.day?.cost) ?? policyDay / ipShare,
    // A share of the rest never exhausts the budget, however many addresses take theirs.
    unsent: read(open.cost) ?? max(policyDay / unsentShare, ownOperation ?? min(operation, rest / unsentShareOfRest)),
  }
}

/** Returns the tip in wei that passes even if the market's is lower. */
export function tipFloor({ priorityFeeFloor }: Pick<PolicyRules, 'priorityFeeFloor'>, chainId: number): bigint {
  return read(priorityFeeFloor) ?? costsOf(chainId).tipFloor
}

/** Returns whether rules of the configuration limit the cost of the policy as a whole. */
export function hasCostLimit(rules: PolicyRulesInput | undefined): boolean {
  const { day, total } = rules?.limits?.policy ?? {}
  return day?.cost !== undefined || total?.cost !== undefined
}

function costsOf(chainId: number): Costs {
  return costsByChain.get(chainId) ?? layer1
}

function read(wei: string | undefined): bigint | undefined {
  return wei === undefined ? undefined : BigInt(wei)
}
